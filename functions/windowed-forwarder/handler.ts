// The Lambda function that forwards changes on a schedule, for management clusters without a watch-forwarder.
import { declarations } from '../declarations.ts';
import { createWindowedHandler } from './windowed-handler.ts';

export const handler = createWindowedHandler('windowed-forwarder', declarations);
