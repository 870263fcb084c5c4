// The audit webhook of a run with the simulated provider. It also maps the watches of this provider.
import { createAuditHandler } from '../../../functions/audit-webhook/audit-handler.ts';
import { declarations } from '../../../functions/declarations.ts';
import { localDeclarations } from '../declarations.ts';

export const handler = createAuditHandler('audit-webhook', [...declarations, ...localDeclarations]);
