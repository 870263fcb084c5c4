// The tree of a Cluster: its objects, the state of each object, and what the Cluster waits for. Pure.
import { compareText, toDisplayName, type Unstructured, valueAt } from '@capi-serverless/apimachinery';
import { setNameLabel } from '@capi-serverless/cluster-api/contract';
import { deploymentNameLabel } from '../../../shared/api/machine-deployment/reader.ts';
import { conditionOf } from '../../../shared/explain/conditions.ts';
import {
  type ConditionPreference,
  countAt,
  joined,
  type Mark,
  type ObjectView,
  versionsOf,
  viewCollection,
  viewHealthCheck,
  viewObject,
  viewPool,
} from '../../../shared/explain/object-view.ts';
import {
  infrastructurePreference,
  machinePreference,
  type Referred,
  viewReferred,
} from '../../../shared/explain/referred.ts';
import { limited, type ObjectNode, type Shown, type TreeRow, toRows } from '../../../shared/explain/tree.ts';
import { viewCluster } from './cluster-view.ts';
import type { ClusterSnapshot } from './snapshot.ts';

/**
 * The order is: Cluster, infrastructure, control plane, MachineDeployments with their Machines, MachinePools, other
 * objects.
 */
export function toTree(snapshot: ClusterSnapshot): readonly TreeRow[] {
  return toRows(toClusterNode(snapshot, limited));
}

export function toClusterNode(snapshot: ClusterSnapshot, shown: Shown): ObjectNode {
  const { cluster } = snapshot;
  const machines = controlPlaneMachines(snapshot).map(machineNode);
  const children = [
    ...referredNodes(snapshot.infrastructure, referred => viewReferred(referred, infrastructurePreference), []),
    ...referredNodes(snapshot.controlPlane, viewControlPlane, shown(machines)),
    ...shown(machineNodes(snapshot, shown)),
  ];
  return { name: toDisplayName(cluster.metadata), ...clusterView(cluster), children };
}

/** Returns only the row of the Cluster, for small terminals. */
export function toRootRow({ cluster }: ClusterSnapshot): TreeRow {
  return { branch: '', name: toDisplayName(cluster.metadata), ...clusterView(cluster) };
}

function clusterView(cluster: Unstructured): ObjectView {
  const { phase, provisioned, paused, available, waitingFor } = viewCluster(cluster);
  const shown = phase === '' ? 'new' : phase;
  if (waitingFor === '') {
    return { mark: provisioned ? 'ready' : 'waiting', detail: available ? `${shown}  Available` : shown };
  }
  const detail = `${shown}  waiting for ${waitingFor}`;
  if (paused) {
    return { mark: 'paused', detail };
  }
  return { mark: markOfPhase(phase), detail };
}

function markOfPhase(phase: string): Mark {
  switch (phase) {
    case 'Failed':
      return 'failing';
    case 'Deleting':
      return 'deleting';
    default:
      return 'waiting';
  }
}

function referredNodes(
  referred: Referred | undefined,
  view: (referred: Referred) => ObjectView,
  children: readonly ObjectNode[],
): readonly ObjectNode[] {
  return referred === undefined ? [] : [{ name: `${referred.kind}/${referred.name}`, ...view(referred), children }];
}

/** The Machines of the control plane object. */
function controlPlaneMachines({ controlPlane, machines }: ClusterSnapshot): readonly Unstructured[] {
  return machines.filter(({ metadata }) =>
    metadata.ownerReferences?.some(
      ({ controller, kind, name }) => controller === true && kind === controlPlane?.kind && name === controlPlane?.name,
    ),
  );
}

function machineNode(machine: Unstructured): ObjectNode {
  return { name: `Machine/${machine.metadata.name}`, ...viewObject(machine, machinePreference), children: [] };
}

function machineNodes(snapshot: ClusterSnapshot, shown: Shown): readonly ObjectNode[] {
  const { machineDeployments, machinePools, machineHealthChecks, machines } = snapshot;
  const names = new Set(machineDeployments.map(({ metadata }) => metadata.name));
  const placed = new Set(controlPlaneMachines(snapshot));
  const deploymentOf = ({ metadata }: Unstructured): string => metadata.labels?.[deploymentNameLabel] ?? '';
  const byDeployment = Map.groupBy(
    machines.filter(machine => !placed.has(machine)),
    machine => (names.has(deploymentOf(machine)) ? deploymentOf(machine) : ''),
  );
  const machinesOf = (deployment: string): readonly Unstructured[] => byDeployment.get(deployment) ?? [];
  const deployments = machineDeployments.map(deployment => ({
    name: `MachineDeployment/${deployment.metadata.name}`,
    ...viewCollection(deployment),
    children: shown(rolloutNodes(machinesOf(deployment.metadata.name), shown)),
  }));
  return [
    ...deployments,
    ...machinePools.map(pool => leaf(pool, viewPool(pool))),
    ...machineHealthChecks.map(check => leaf(check, viewHealthCheck(check))),
    ...machinesOf('').map(machineNode),
  ];
}

/**
 * While a rollout replaces Machines, they are below their MachineSets, those with an older template first. Otherwise they
 * are below their MachineDeployment.
 */
function rolloutNodes(machines: readonly Unstructured[], shown: Shown): readonly ObjectNode[] {
  const sets = Map.groupBy(machines, ({ metadata }) => metadata.labels?.[setNameLabel] ?? '');
  if (sets.size < 2) {
    return machines.map(machineNode);
  }
  return [...sets]
    .map(([name, members]) => ({ name, members, isOld: members.some(isOutdated) }))
    .toSorted((a, b) => Number(b.isOld) - Number(a.isOld) || compareText(a.name, b.name))
    .map(({ name, members, isOld }) => {
      const nodes = members.map(machineNode);
      const ready = nodes.filter(({ mark }) => mark === 'ready').length;
      const versions = [...new Set(members.map(machine => valueAt(machine, 'spec.version')))].filter(isText);
      return {
        name: `MachineSet/${name}`,
        mark: ready === nodes.length ? 'ready' : 'waiting',
        detail: joined(
          `${ready}/${nodes.length} ready`,
          versions.join(', '),
          isOld ? 'old template' : 'current template',
        ),
        children: shown(nodes),
      };
    });
}

/** Whether the Machine has an older template. */
export function isOutdated(machine: Unstructured): boolean {
  return conditionOf(machine, 'UpToDate')?.status === 'False';
}

function isText(value: unknown): value is string {
  return typeof value === 'string';
}

function leaf({ kind, metadata }: Unstructured, view: ObjectView): ObjectNode {
  return { name: `${kind}/${metadata.name}`, ...view, children: [] };
}

export const controlPlanePreference: ConditionPreference = ['Available', 'Ready'];

/** Replicas and versions of a control plane, if it reports them. */
function viewControlPlane(referred: Referred): ObjectView {
  const view = viewReferred(referred, controlPlanePreference);
  if (referred.state !== 'found' || valueAt(referred.object, 'status.replicas') === undefined) {
    return view;
  }
  const { object } = referred;
  const counts = `${countAt(object, 'status.readyReplicas')}/${countAt(object, 'spec.replicas')} ready`;
  return { ...view, detail: joined(counts, versionsOf(object, 'spec.version'), view.detail) };
}
