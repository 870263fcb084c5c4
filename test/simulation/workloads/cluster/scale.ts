// A control plane scales up, is upgraded, and scales down before the upgrade is complete.
import { aSimulatedCluster, controlPlaneRef, home, namespaceNamed, untilReady, type Workload } from '../workload.ts';

export const scale: Workload = {
  name: 'scale',
  about: 'A control plane is scaled to three machines, upgraded, and scaled back while the upgrade is under way',
  async script(user) {
    await user.create(namespaceNamed(home), ...aSimulatedCluster());
    await untilReady(user);
    await user.patch(controlPlaneRef(), { spec: { replicas: 3 } });
    await user.until('three machines', controlPlaneRef(), it => replicasOf(it?.status) === 3);
    await user.patch(controlPlaneRef(), { spec: { version: 'v1.36.0' } });
    await user.pause(1);
    await user.patch(controlPlaneRef(), { spec: { replicas: 1 } });
    await user.until('one machine', controlPlaneRef(), it => replicasOf(it?.status) === 1);
  },
};

function replicasOf(status: unknown): unknown {
  return (status as { readonly replicas?: number } | undefined)?.replicas; // true: according to the definition of the kind
}
