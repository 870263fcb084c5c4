// A MachineDeployment with its templates, for workloads.

import {
  type Intent,
  type JsonObject,
  type ObjectRef,
  type Unstructured,
  valueAt,
} from '@capi-serverless/apimachinery';
import type { SimulatedUser } from '../system/user.ts';
import { home } from './workload.ts';

const name = 'md1';

export const deploymentRef: ObjectRef = {
  apiVersion: 'cluster.x-k8s.io/v1beta2',
  kind: 'MachineDeployment',
  namespace: home,
  name,
};

const groups = { bootstrap: 'bootstrap.cluster.x-k8s.io', infrastructure: 'infrastructure.cluster.x-k8s.io' };

export function deploymentTemplates(): readonly Intent[] {
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

/** Two replicas. A third of them, rounded up, is a surge of one. */
export function aMachineDeployment(more: JsonObject = {}): Intent {
  const labels = { 'cluster.x-k8s.io/cluster-name': 'c1', 'cluster.x-k8s.io/deployment-name': name };
  return {
    apiVersion: deploymentRef.apiVersion,
    kind: deploymentRef.kind,
    metadata: { name, namespace: home, labels: { 'cluster.x-k8s.io/cluster-name': 'c1' } },
    spec: {
      clusterName: 'c1',
      replicas: 2,
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
      ...more,
    },
  };
}

/** Waits until the deployment has this number of available Machines of the version, and one MachineSet. */
export async function untilVersion(user: SimulatedUser, version: string, replicas = 2): Promise<void> {
  const isDone = (deployment: Unstructured | undefined): boolean =>
    JSON.stringify(valueAt(deployment?.status, 'versions')) === JSON.stringify([{ version, replicas }]) &&
    valueAt(deployment?.status, 'availableReplicas') === replicas;
  await user.until(`${replicas} available Machines of ${version}`, deploymentRef, isDone);
  await user.untilAll('one MachineSet', 'MachineSet', ({ length }) => length === 1);
}
