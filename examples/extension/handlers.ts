// All that this extension server serves. To add a handler: write it, and put it here.
import { lifecycle } from './lifecycle.ts';
import { generatePatches } from './patches.ts';
import type { Handler } from './protocol.ts';
import { validateTopology } from './validation.ts';
import { discoverVariables } from './variables.ts';

export const handlers: readonly Handler[] = [discoverVariables, generatePatches, validateTopology, ...lifecycle];
