// The tree of a Cluster: what belongs to it, how each part is doing, and what the Cluster waits for. Pure.
import { toDisplayName, type Unstructured } from '../../../shared/api/object.ts';
import {
  infrastructureTelling,
  type Mark,
  machineTelling,
  type ObjectView,
  viewCollection,
  viewControlPlane,
  viewHealthCheck,
  viewObject,
  viewReferred,
} from './objects.ts';
import type { ClusterSnapshot, Referred } from './snapshot.ts';
import { type Span, type Style, toPlainText, toText, truncate, widthOf } from './text.ts';
import { viewCluster } from './waiting.ts';

/** One line of a tree. `branch` is what is drawn before the mark. */
export interface TreeRow extends ObjectView {
  readonly branch: string;
  readonly name: string;
}

export interface TreeLayout {
  /** Columns; longer lines end in an ellipsis. */
  readonly width: number;
  readonly color: boolean;
}

/** One object of a tree. */
export interface Node extends ObjectView {
  readonly name: string;
  readonly children: readonly Node[];
}

/** More children than this are counted, not shown. */
const mostChildren = 10;
const deploymentLabel = 'cluster.x-k8s.io/deployment-name';

const marks: Readonly<Record<Mark, { readonly sign: string; readonly style: Style }>> = {
  ready: { sign: '✓', style: 'green' },
  waiting: { sign: '…', style: 'yellow' },
  failing: { sign: '✗', style: 'red' },
  paused: { sign: '‖', style: 'cyan' },
  deleting: { sign: '−', style: 'yellow' },
  missing: { sign: '?', style: 'red' },
  unknown: { sign: '·', style: 'dim' },
};

/** The Cluster first, then infrastructure, control plane and MachineDeployments with their Machines, MachinePools, and the rest. */
export function toTree(snapshot: ClusterSnapshot): readonly TreeRow[] {
  const { cluster } = snapshot;
  const children = [
    ...referredNodes(snapshot.infrastructure, referred => viewReferred(referred, infrastructureTelling), []),
    ...referredNodes(snapshot.controlPlane, viewControlPlane, limited(controlPlaneMachines(snapshot).map(machineNode))),
    ...limited(machineNodes(snapshot)),
  ];
  return toRows({ name: toDisplayName(cluster.metadata), ...clusterView(cluster), children });
}

/** Only the Cluster itself, for when there is no room for more. */
export function toRootRow({ cluster }: ClusterSnapshot): TreeRow {
  return { branch: '', name: toDisplayName(cluster.metadata), ...clusterView(cluster) };
}

/** Rows as lines, the names of one list side by side with what is said of them. */
export function toLines(rows: readonly TreeRow[], { width, color }: TreeLayout): readonly string[] {
  const column = Math.max(0, ...rows.map(({ branch, name }) => widthOf(branch) + widthOf(name)));
  return rows.map(row => {
    const { sign, style } = marks[row.mark];
    const padding = ' '.repeat(column - widthOf(row.branch) - widthOf(row.name));
    const spans: readonly Span[] = [
      { text: row.branch, style: 'dim' },
      { text: sign, style },
      { text: ` ${row.name}${padding}  `, style: row.branch === '' ? 'bold' : 'plain' },
      { text: toPlainText(row.detail), style: row.mark === 'failing' ? style : 'plain' },
    ];
    return toText(truncate(spans, width), color);
  });
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
  children: readonly Node[],
): readonly Node[] {
  return referred === undefined
    ? []
    : [{ name: toPlainText(`${referred.kind}/${referred.name}`), ...view(referred), children }];
}

/** Those that the control plane object made. */
function controlPlaneMachines({ controlPlane, machines }: ClusterSnapshot): readonly Unstructured[] {
  return machines.filter(({ metadata }) =>
    metadata.ownerReferences?.some(
      ({ controller, kind, name }) => controller === true && kind === controlPlane?.kind && name === controlPlane?.name,
    ),
  );
}

function machineNode(machine: Unstructured): Node {
  return { name: `Machine/${machine.metadata.name}`, ...viewObject(machine, machineTelling), children: [] };
}

function machineNodes(snapshot: ClusterSnapshot): readonly Node[] {
  const { machineDeployments, machinePools, machineHealthChecks, machines } = snapshot;
  const names = new Set(machineDeployments.map(({ metadata }) => metadata.name));
  const shown = new Set(controlPlaneMachines(snapshot));
  const deploymentOf = ({ metadata }: Unstructured): string => metadata.labels?.[deploymentLabel] ?? '';
  const byDeployment = Map.groupBy(
    machines.filter(machine => !shown.has(machine)),
    machine => (names.has(deploymentOf(machine)) ? deploymentOf(machine) : ''),
  );
  const machinesOf = (deployment: string): readonly Node[] => (byDeployment.get(deployment) ?? []).map(machineNode);
  const deployments = machineDeployments.map(deployment => ({
    name: `MachineDeployment/${deployment.metadata.name}`,
    ...viewCollection(deployment),
    children: limited(machinesOf(deployment.metadata.name)),
  }));
  return [
    ...deployments,
    ...machinePools.map(pool => leaf(pool, viewCollection(pool))),
    ...machineHealthChecks.map(check => leaf(check, viewHealthCheck(check))),
    ...machinesOf(''),
  ];
}

function leaf({ kind, metadata }: Unstructured, view: ObjectView): Node {
  return { name: `${kind}/${metadata.name}`, ...view, children: [] };
}

/** Of many the first, and how many there are more. */
export function limited(nodes: readonly Node[]): readonly Node[] {
  if (nodes.length <= mostChildren) {
    return nodes;
  }
  const more: Node = { name: `${nodes.length - mostChildren} more`, mark: 'unknown', detail: '', children: [] };
  return [...nodes.slice(0, mostChildren), more];
}

export function toRows(node: Node, branch = '', indent = ''): readonly TreeRow[] {
  const { name, mark, detail, children } = node;
  const below = children.flatMap((child, index) => {
    const isLast = index === children.length - 1;
    return toRows(child, `${indent}${isLast ? '└─ ' : '├─ '}`, `${indent}${isLast ? '   ' : '│  '}`);
  });
  return [{ branch, name, mark, detail }, ...below];
}
