// The windowed forwarder of a run with the simulated provider: it watches that provider's kinds as well.
import { declarations } from '../../../functions/declarations.ts';
import { createWindowedHandler } from '../../../functions/windowed-forwarder/windowed-handler.ts';
import { localDeclarations } from '../declarations.ts';

export const handler = createWindowedHandler('windowed-forwarder', [...declarations, ...localDeclarations]);
