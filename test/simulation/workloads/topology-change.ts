// The class of a managed topology changes, and is then replaced by another one.
import { topologyReconcilers } from '../system/reconcilers.ts';
import {
  aClass,
  aMachineTemplate,
  aManagedCluster,
  aTemplate,
  classRef,
  classSpec,
  classTemplates,
  patchTopology,
  untilClassReady,
  untilReconciled,
} from './topology.ts';
import { home, namespaceNamed, type Workload } from './workload.ts';

export const topologyChange: Workload = {
  name: 'topology-change',
  about:
    'A class names other templates of Machines, so those of its Cluster are rotated; then the Cluster is rebased to another class',
  reconcilers: topologyReconcilers,
  async script(user) {
    const parts = { controlPlaneMachine: 'cp-machine' };
    await user.create(
      namespaceNamed(home),
      ...classTemplates(),
      aMachineTemplate('cp-machine'),
      aClass('class', parts),
    );
    await user.create(...aManagedCluster([{ name: 'a', replicas: 1 }]));
    await untilReconciled(user);
    await user.create(aMachineTemplate('worker-2', { size: 'large' }), aMachineTemplate('cp-2', { size: 'large' }));
    await user.patch(classRef(), { spec: classSpec({ worker: 'worker-2', controlPlaneMachine: 'cp-2' }) });
    await untilClassReady(user);
    await untilImages(user, 'large');
    await user.create(
      aTemplate('controlplane', 'SimulatedControlPlane', 'cp-other', { settings: { audit: 'on' } }),
      aMachineTemplate('worker-3', { size: 'small' }),
      aMachineTemplate('cp-3', { size: 'small' }),
      aClass('other', { worker: 'worker-3', controlPlaneMachine: 'cp-3', controlPlane: 'cp-other' }),
    );
    await untilClassReady(user, 'other');
    await patchTopology(user, { classRef: { name: 'other' } });
    await untilImages(user, 'small');
  },
};

/** One Machine of the control plane, one worker, both of this size and nothing else. */
async function untilImages(user: Parameters<Workload['script']>[0], size: string): Promise<void> {
  await user.untilAll(
    `Machines that are ${size}`,
    'SimulatedMachine',
    machines => machines.length === 2 && machines.every(({ spec }) => JSON.stringify(spec).includes(`"${size}"`)),
  );
  await untilReconciled(user);
}
