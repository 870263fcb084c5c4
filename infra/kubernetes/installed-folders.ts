// The generated folders that `capi-serverless install` applies. To add one, add its name.
import { checkStates, defaultStates } from './admission-policies/policy-check.ts';

/** The folder with the roles of the functions, for every feature gate. */
export const rolesFolder = 'rbac';

/** The folders that every installation applies. */
export const installedFolders: readonly string[] = ['clusterctl', 'crds', rolesFolder];

/** The folders that an installation applies on request, by the name of the part. */
export const optionalFolders: Readonly<Record<string, readonly string[]>> = {
  account: ['account'],
  aggregated: ['aggregated'],
  admission: ['admission'],
  conversion: ['conversion'],
  policies: ['policies/checks', ...defaultStates.map(state => `policies/${checkStates[state].folder}`)],
  'policy-defaults': ['policies/defaults'],
};
