// The Machines of a MachineDeployment are created, and replaced one after the other.
import { valueAt } from '../../../../packages/apimachinery/merge-diff.ts';
import type { Intent, ObjectRef, Unstructured } from '../../../../packages/apimachinery/object.ts';
import type { SimulatedUser } from '../../system/user.ts';
import { aSimulatedCluster, home, namespaceNamed, untilReady, type Workload } from '../workload.ts';

const name = 'md1';
const ref: ObjectRef = { apiVersion: 'cluster.x-k8s.io/v1beta2', kind: 'MachineDeployment', namespace: home, name };
const groups = { bootstrap: 'bootstrap.cluster.x-k8s.io', infrastructure: 'infrastructure.cluster.x-k8s.io' };
const replicas = 2;

function templates(): readonly Intent[] {
  const of = (group: string, kind: string): Intent => ({
    apiVersion: `${group}/v1beta2`,
    kind,
    metadata: { name, namespace: home },
    spec: { template: { spec: {} } },
  });
  return [
    of(groups.bootstrap, 'SimulatedBootstrapConfigTemplate'),
    of(groups.infrastructure, 'SimulatedMachineTemplate'),
  ];
}

/** A third of two replicas, rounded up, is a surge of one. */
function aDeployment(): Intent {
  const labels = { 'cluster.x-k8s.io/cluster-name': 'c1', 'cluster.x-k8s.io/deployment-name': name };
  return {
    apiVersion: ref.apiVersion,
    kind: ref.kind,
    metadata: { name, namespace: home, labels: { 'cluster.x-k8s.io/cluster-name': 'c1' } },
    spec: {
      clusterName: 'c1',
      replicas,
      selector: { matchLabels: labels },
      rollout: { strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: '34%', maxUnavailable: 0 } } },
      template: {
        metadata: { labels },
        spec: {
          clusterName: 'c1',
          version: 'v1.35.0',
          minReadySeconds: 5,
          bootstrap: { configRef: { apiGroup: groups.bootstrap, kind: 'SimulatedBootstrapConfigTemplate', name } },
          infrastructureRef: { apiGroup: groups.infrastructure, kind: 'SimulatedMachineTemplate', name },
          deletion: { nodeDeletionTimeoutSeconds: 0 },
        },
      },
    },
  };
}

async function untilVersion(user: SimulatedUser, version: string): Promise<void> {
  const isDone = (deployment: Unstructured | undefined): boolean =>
    JSON.stringify(valueAt(deployment?.status, 'versions')) === JSON.stringify([{ version, replicas }]) &&
    valueAt(deployment?.status, 'availableReplicas') === replicas;
  await user.until(`${replicas} available Machines of ${version}`, ref, isDone);
  await user.untilAll('one MachineSet', 'MachineSet', ({ length }) => length === 1);
}

export const machineDeploymentRollout: Workload = {
  name: 'machinedeployment-rollout',
  about: 'The Machines of a MachineDeployment are created, and replaced one after the other by those of a new version',
  long: true,
  async script(user) {
    await user.create(namespaceNamed(home), ...aSimulatedCluster());
    await untilReady(user);
    await user.create(...templates(), aDeployment());
    await untilVersion(user, 'v1.35.0');
    await user.patch(ref, { spec: { template: { spec: { version: 'v1.35.1' } } } });
    await untilVersion(user, 'v1.35.1');
  },
};
