// The TopologyReconciled condition during an upgrade of a topology: which parts are upgrading or pending, and why.
import { compareText } from '@capi-serverless/apimachinery';
import { toBlockingMessage } from '../../../shared/runtime-hooks/rules/blocks.ts';
import type { HookResponses } from '../../../shared/runtime-hooks/rules/hook.ts';
import type { ControlPlaneProgress, Versions, WorkerProgress } from '../plan/upgrade/version-progress.ts';

export interface UpgradeView {
  readonly versions: Versions;
  readonly controlPlaneKind: string;
  readonly topologyVersion: string;
  readonly responses: HookResponses;
}

/** A part is not at its version, or is not created yet. A control plane that runs no version yet does not count. */
export function isUpgrading({ controlPlane, machineDeployments, machinePools }: Versions): boolean {
  return (
    controlPlane.isPendingUpgrade ||
    isMoving(controlPlane) ||
    [machineDeployments, machinePools].some(
      ({ pendingUpgrade, upgrading, deferredUpgrade, pendingCreate }) =>
        pendingUpgrade.size + upgrading.size + deferredUpgrade.size + pendingCreate.size > 0,
    )
  );
}

/** Reason and message, one line for each part. */
export function upgradeExplanation(view: UpgradeView): { readonly reason: string; readonly message: string } {
  const { versions, topologyVersion, responses } = view;
  const { controlPlane } = versions;
  const machineDeployments = toGroup('MachineDeployment', versions.machineDeployments);
  const machinePools = toGroup('MachinePool', versions.machinePools);
  const blocking = toBlockingMessage('upgrade', responses);
  const lines = [
    ...(blocking === '' ? [] : [blocking]),
    ...controlPlaneLines(view),
    ...workerLines(machineDeployments, controlPlane.version),
    ...workerLines(machinePools, controlPlane.version),
  ];
  const isOnlyDeferred = (group: Group): boolean =>
    blocking === '' &&
    !isMoving(controlPlane) &&
    group.deferred.length > 0 &&
    group.upgrading.length === 0 &&
    group.pending.length === 0;
  const reason = isOnlyDeferred(machineDeployments)
    ? 'MachineDeploymentsUpgradeDeferred'
    : isOnlyDeferred(machinePools)
      ? 'MachinePoolsUpgradeDeferred'
      : 'ClusterUpgrading';
  return { reason, message: [`Cluster is upgrading to ${topologyVersion}`, ...lines].join('\n  * ') };
}

type WorkerKind = 'MachineDeployment' | 'MachinePool';

/** Names of one kind of workers, each in at most one list, sorted. */
interface Group {
  readonly kind: WorkerKind;
  readonly upgrading: readonly string[];
  readonly pending: readonly string[];
  readonly deferred: readonly string[];
  /** Topology names: the objects do not exist yet. */
  readonly pendingCreate: readonly string[];
  readonly plan: readonly string[];
}

function toGroup(kind: WorkerKind, progress: WorkerProgress): Group {
  const { upgrading, pendingUpgrade, deferredUpgrade, pendingCreate, upgradePlan } = progress;
  const sorted = (names: Iterable<string>) => [...names].toSorted(compareText);
  const deferred = sorted(deferredUpgrade).filter(name => !upgrading.has(name));
  return {
    kind,
    upgrading: sorted(upgrading),
    pending: sorted(pendingUpgrade).filter(name => !upgrading.has(name) && !deferred.includes(name)),
    deferred,
    pendingCreate: sorted(pendingCreate),
    plan: upgradePlan,
  };
}

function controlPlaneLines({ versions, controlPlaneKind }: UpgradeView): readonly string[] {
  const { controlPlane } = versions;
  const { version, upgradePlan } = controlPlane;
  if (isMoving(controlPlane)) {
    return [`${controlPlaneKind} upgrading to version ${version}${pendingSuffix(upgradePlan, version)}`];
  }
  return upgradePlan.length > 0 ? [`${controlPlaneKind} pending upgrade to version ${upgradePlan.join(', ')}`] : [];
}

/** Upstream names the annotations of pools differently from those of deployments. */
const deferringAnnotations = {
  MachineDeployment: 'defer-upgrade or hold-upgrade-sequence annotations',
  MachinePool: 'topology.cluster.x-k8s.io/defer-upgrade or hold-upgrade-sequence annotations',
} as const;

function workerLines(group: Group, version: string): readonly string[] {
  const { kind, upgrading, pending, deferred, pendingCreate, plan } = group;
  const line = (names: readonly string[], text: string) =>
    names.length === 0 ? [] : [`${toNames(kind, names)} ${text}`];
  return [
    ...line(upgrading, `upgrading to version ${version}${pendingSuffix(plan, version)}`),
    ...(plan.length === 0 ? [] : line(pending, `pending upgrade to version ${plan.join(', ')}`)),
    ...line(deferred, `upgrade to version ${version} deferred using ${deferringAnnotations[kind]}`),
    ...line(pendingCreate, 'creation deferred while control plane upgrade is in progress'),
  ];
}

/** The versions after the one in progress. */
function pendingSuffix(plan: readonly string[], version: string): string {
  const left = plan.filter(each => each !== version);
  return left.length === 0 ? '' : ` (${left.join(', ')} pending)`;
}

const mostNames = 3;

function toNames(kind: WorkerKind, names: readonly string[]): string {
  const shown = names.slice(0, mostNames).join(', ');
  const left = names.length - mostNames;
  return `${kind}${names.length > 1 ? 's' : ''} ${shown}${left > 0 ? `, ... (${left} more)` : ''}`;
}

function isMoving({ isStartingUpgrade, isUpgrading: isBehind }: ControlPlaneProgress): boolean {
  return isStartingUpgrade || isBehind;
}
