// A MachineDeployment with its templates, for workloads.

import {
  type Intent,
  type JsonObject,
  type ObjectRef,
  toRecord,
  type Unstructured,
  valueAt,
} from '@capi-serverless/apimachinery';
import { toTimestamp } from '@capi-serverless/apimachinery/timestamp';
import { type Condition, isTrue } from '@capi-serverless/cluster-api/conditions';
import { deploymentNameLabel } from '../../../shared/api/machine-deployment/reader.ts';
import type { SimulatedUser } from '../system/user.ts';
import { home } from './workload.ts';

const name = 'md1';

export const deploymentRef: ObjectRef = {
  apiVersion: 'cluster.x-k8s.io/v1beta2',
  kind: 'MachineDeployment',
  namespace: home,
  name,
};

export const machineOf = (name: string): ObjectRef => ({ ...deploymentRef, kind: 'Machine', name });

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
  const labels = { 'cluster.x-k8s.io/cluster-name': 'c1', [deploymentNameLabel]: name };
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

/** The conditions with which a health check requests the replacement of a Machine. */
export function unhealthy({ status }: Unstructured): JsonObject {
  const stored =
    (status as { readonly conditions?: readonly { readonly type: string }[] } | undefined)?.conditions ?? []; // true: the schema requires it
  const since = toTimestamp(Date.parse('2026-01-01T00:00:00Z'));
  const failed = ['HealthCheckSucceeded', 'OwnerRemediated'].map(type => ({
    ...{ type, status: 'False', reason: 'Marked', message: 'marked by the user', lastTransitionTime: since },
  }));
  return {
    status: { conditions: [...stored.filter(({ type }) => !failed.some(each => each.type === type)), ...failed] },
  };
}

/** Returns the names of the Machines that are not being deleted, in order. Waits until there is this number. */
export async function machinesOf(user: SimulatedUser, count: number): Promise<readonly string[]> {
  let names: readonly string[] = [];
  await user.untilAll(`${count} Machines`, 'Machine', machines => {
    const left = machines.filter(({ metadata }) => metadata.labels?.[deploymentNameLabel] !== undefined);
    names = left.map(({ metadata }) => metadata.name).toSorted();
    return left.length === count && left.every(({ metadata }) => metadata.deletionTimestamp === undefined);
  });
  return names;
}

/**
 * Waits until the deployment has this number of available Machines of the version, reports them, and has one MachineSet.
 * Its status alone can be that of earlier Machines.
 */
export async function untilVersion(user: SimulatedUser, version: string, replicas = 2): Promise<void> {
  const what = `${replicas} available Machines of ${version}`;
  const isReported = (deployment: Unstructured | undefined): boolean =>
    JSON.stringify(valueAt(deployment?.status, 'versions')) === JSON.stringify([{ version, replicas }]) &&
    valueAt(deployment?.status, 'availableReplicas') === replicas;
  await user.until(what, deploymentRef, isReported);
  await user.untilAll(what, 'Machine', machines => {
    const own = machines.filter(({ metadata }) => metadata.labels?.[deploymentNameLabel] === name);
    return own.length === replicas && own.every(machine => isAvailable(machine) && versionOf(machine) === version);
  });
  await user.untilAll('one MachineSet', 'MachineSet', ({ length }) => length === 1);
}

function versionOf({ spec }: Unstructured): unknown {
  return valueAt(spec, 'version');
}

function isAvailable({ metadata, status }: Unstructured): boolean {
  const { conditions = [] } = toRecord(status) as { readonly conditions?: readonly Condition[] }; // true: the schema requires it
  return metadata.deletionTimestamp === undefined && isTrue(conditions, 'Available');
}
