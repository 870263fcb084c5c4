// All handlers of this extension server. To add one, write it and add it to this list.

import { discoverVariables } from './discover-variables.ts';
import { lifecycle } from './lifecycle.ts';
import { generatePatches } from './patches.ts';
import type { Handler } from './protocol.ts';
import { validateTopology } from './validation.ts';

export const handlers: readonly Handler[] = [discoverVariables, generatePatches, validateTopology, ...lifecycle];
