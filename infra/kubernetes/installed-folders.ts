// The generated folders that `capi-serverless install` applies. To add one, add its name to a list.

/** The folder with the roles of the functions, for every feature gate. */
export const rolesFolder = 'rbac';

/** The folders that every installation applies. */
export const installedFolders: readonly string[] = ['clusterctl', 'crds', rolesFolder];

/** The folders that an installation applies on request. */
export const optionalFolders: readonly string[] = ['account', 'aggregated', 'admission', 'conversion'];
