// The Lambda function of the resync schedule and the expand queue.
import { declarations } from '../declarations.ts';
import { createResyncHandler } from './resync-handler.ts';

export const handler = createResyncHandler('resync', declarations);
