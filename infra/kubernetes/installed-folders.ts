// The generated folders that `capi-serverless install` applies. To add one, add its name.

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
  // The resources of policies/default-gates.
  policies: ['policies/checks', 'policies/taints-off', 'policies/preflight-checks-on'],
  'policy-defaults': ['policies/defaults'],
};
