// The resync function of a run with the simulated provider: it lists that provider's kinds as well.
import { declarations } from '../../../functions/declarations.ts';
import { createResyncHandler } from '../../../functions/resync/resync-handler.ts';
import { localDeclarations } from '../declarations.ts';

export const handler = createResyncHandler('resync', [...declarations, ...localDeclarations]);
