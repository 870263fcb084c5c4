// The function behind an API server's audit webhook, or behind a subscription of its audit log.
import { declarations } from '../declarations.ts';
import { createAuditHandler } from './audit-handler.ts';

export const handler = createAuditHandler('audit-webhook', declarations);
