// The function behind the schedule of management clusters that no process watches.
import { declarations } from '../declarations.ts';
import { createWindowedHandler } from './windowed-handler.ts';

export const handler = createWindowedHandler('windowed-forwarder', declarations);
