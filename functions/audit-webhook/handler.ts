// The Lambda function that an API server's audit webhook calls, or a subscription of its audit log.
import { declarations } from '../declarations.ts';
import { createAuditHandler } from './audit-handler.ts';

export const handler = createAuditHandler('audit-webhook', declarations);
