// The Lambda function of the audit webhook. An API server calls it directly, or a subscription of the audit log calls
// it.
import { declarations } from '../declarations.ts';
import { createAuditHandler } from './audit-handler.ts';

export const handler = createAuditHandler('audit-webhook', declarations);
