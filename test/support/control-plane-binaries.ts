// Finds the programs of the real control plane for suites.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { builtControlPlaneDir } from '../kube-apiserver/location.ts';

export interface ControlPlaneBinaries {
  readonly dir: string;
  readonly etcd: string;
  readonly apiserver: string;
  /** Absent if only an envtest folder is given. Then garbage collection and namespace deletion do not run. */
  readonly controllerManager: string | undefined;
}

/**
 * Returns KUBEBUILDER_ASSETS if set, otherwise the folder that `npm run kube-apiserver` built. `missing` is the reason
 * in one line why there is none.
 */
export function findControlPlaneBinaries(): ControlPlaneBinaries | { readonly missing: string } {
  const assets = process.env['KUBEBUILDER_ASSETS'];
  const dir = assets || builtControlPlaneDir();
  const [etcd, apiserver, controllerManager] = ['etcd', 'kube-apiserver', 'kube-controller-manager'].map(name =>
    join(dir, name),
  );
  if (etcd === undefined || apiserver === undefined || !existsSync(etcd) || !existsSync(apiserver)) {
    return {
      missing: assets
        ? `KUBEBUILDER_ASSETS (${assets}) holds no etcd or no kube-apiserver`
        : 'the test control plane is not built; run "npm run kube-apiserver" once',
    };
  }
  const complete = controllerManager !== undefined && existsSync(controllerManager);
  return { dir, etcd, apiserver, controllerManager: complete ? controllerManager : undefined };
}
