// The same as machine-adoption.test.ts, resource-set-adoption.test.ts and rollout-adoption.test.ts, on a real API server.
// The recorded state is put into its etcd, as a restored backup would be. So uids, generations and times are those of the
// recordings, and no request of this test owns a field. The recordings omit managed fields:
// - The first reconcile of Machines, MachinePools, MachineHealthChecks and ClusterResourceSets writes nothing. It owns no
//   fields of what it reads.
// - Two reconciles of MachineSets and MachineDeployments restore the managed fields of what they apply. The third one
//   writes nothing.
import type { Kubernetes } from '@capi-serverless/apimachinery';
import { afterAll, beforeAll, it } from 'vitest';
import type { GivenObject } from '../../cli/plan/files.ts';
import { describeReal } from '../support/describe-real.ts';
import { installDefinitions } from '../support/install-definitions.ts';
import { type RealControlPlane, startControlPlane } from '../support/real-control-plane.ts';
import { describeRotation, itemsOf, rotationOf } from '../support/rotation.ts';
import { connectWorldClient } from '../support/world-client.ts';
import { expectAdoptedMachines, readMachineSnapshots } from './adopted-machines.ts';
import { expectAdoptedResourceSets, readResourceSetSnapshots } from './adopted-resource-sets.ts';
import { expectAdoptedRollouts, readRolloutSnapshots } from './adopted-rollouts.ts';
import type { AdoptedSnapshot } from './adopted-snapshots.ts';
import { managedObjects } from './adopted-state.ts';
import { describeCorpus, readCorpusCrds } from './corpus.ts';
import { putObjects } from './etcd-objects.ts';

describeCorpus('adoption', () => {
  describeReal('adoption of what upstream left, on a real API server', () => {
    const rotation = rotationOf(6);
    const crds = readCorpusCrds();
    const machines = itemsOf(readMachineSnapshots(crds, 'of-machines-'), rotation);
    const rollouts = itemsOf(readRolloutSnapshots(crds, 'of-rollouts-'), rotation);
    const resourceSets = itemsOf(readResourceSetSnapshots(crds, 'of-sets-'), rotation);
    let plane: RealControlPlane;
    let kubernetes: Kubernetes;

    beforeAll(async () => {
      console.log(describeRotation('Recorded states', rotation));
      plane = await startControlPlane({ controllers: false });
      ({ kubernetes } = await connectWorldClient(plane.kubeconfigPath('admin')));
      await installDefinitions(kubernetes, crds);
    });

    afterAll(() => plane?.stop());

    it.each(machines)('Machines, pools and checks of $scenario, $name', async snapshot => {
      await restore(snapshot);
      await expectAdoptedMachines(kubernetes, snapshot);
    });

    it.each(rollouts)('MachineSets and MachineDeployments of $scenario, $name', async snapshot => {
      await restore(snapshot);
      await expectAdoptedRollouts(kubernetes, snapshot);
    });

    it.each(resourceSets)('ClusterResourceSets of $scenario, $name', async snapshot => {
      await restore(snapshot);
      await expectAdoptedResourceSets(kubernetes, snapshot);
    });

    async function restore({ objects }: AdoptedSnapshot): Promise<void> {
      const managed = managedObjects(objects);
      await createNamespaces(kubernetes, managed);
      await putObjects(plane.etcdUrl, crds, managed);
    }
  });
});

/** The API server refuses writes in a namespace that does not exist. */
async function createNamespaces(kubernetes: Kubernetes, objects: readonly GivenObject[]): Promise<void> {
  const names = new Set(objects.map(({ metadata: { namespace = '' } }) => namespace));
  for (const name of names) {
    const created = await kubernetes.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name } });
    if (!created.ok) {
      throw new Error(created.failure.message);
    }
  }
}
