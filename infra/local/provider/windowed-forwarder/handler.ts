// The windowed forwarder where the simulated provider runs: it watches that provider's kinds for its reconcilers as well.
import { declarations } from '../../../../functions/declarations.ts';
import { createWindowedHandler } from '../../../../functions/windowed-forwarder/windowed-handler.ts';
import { localDeclarations } from '../declarations.ts';

export const handler = createWindowedHandler('windowed-forwarder', [...declarations, ...localDeclarations]);
