// The condition TopologyReconciled during an upgrade of a topology. It lists the parts that are upgrading or pending,
// and the reasons.
import { compareText } from '@capi-serverless/apimachinery';
import { toBlockingMessage } from '../../../shared/runtime-hooks/rules/blocks.ts';
import type { HookResponses } from '../../../shared/runtime-hooks/rules/hook.ts';
import type { ControlPlaneProgress, Versions, WorkerProgress } from '../plan/upgrade/version-progress.ts';

interface UpgradeView {
  readonly versions: Versions;
  readonly controlPlaneKind: string;
  readonly topologyVersion: string;
  readonly responses: HookResponses;
}

/**
 * The part does not have its target version or does not exist yet. A control plane without a version is not included.
 */
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

/** Returns the reason and the message, with one line for each part. */
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

/** The sorted names of one kind of workers. Each name is in at most one list. */
interface Group {
  readonly kind: WorkerKind;
  readonly upgrading: readonly string[];
  readonly pending: readonly string[];
  readonly deferred: readonly string[];
  /** Contains topology names, because the objects do not exist yet. */
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

/** Upstream uses different names for the annotations of MachinePools and MachineDeployments. */
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

/** Returns the text about the versions after the current step. */
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
