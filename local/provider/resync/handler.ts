// The resync function of a run with the simulated provider. It also lists the kinds of this provider.
import { declarations } from '../../../functions/declarations.ts';
import { createResyncHandler } from '../../../functions/resync/resync-handler.ts';
import { localDeclarations } from '../declarations.ts';

export const handler = createResyncHandler('resync', [...declarations, ...localDeclarations]);
