// The windowed forwarder of a run with the simulated provider. It also watches the kinds of this provider.
import { declarations } from '../../../functions/declarations.ts';
import { createWindowedHandler } from '../../../functions/windowed-forwarder/windowed-handler.ts';
import { localDeclarations } from '../declarations.ts';

export const handler = createWindowedHandler('windowed-forwarder', [...declarations, ...localDeclarations]);
