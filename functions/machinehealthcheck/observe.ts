// Reads the objects for one pass over a MachineHealthCheck: its Cluster and its Machines, then their Nodes, then the
// requests of external remediations.
import {
  type Checked,
  invalid,
  matchesLabels,
  type Reads,
  selectorProblem,
  toDisplayName,
  type Unstructured,
  valid,
} from '@capi-serverless/apimachinery';
import { isFalse, isTrue, pausedAnnotation } from '@capi-serverless/cluster-api/conditions';
import { clusterNameLabel } from '@capi-serverless/cluster-api/contract';
import { blocked, type EarlyEnd, type Pass, pausedGate, type Stop } from '@capi-serverless/reconciler';
import { isOwnedByCluster } from '../../shared/api/cluster/owned-by-cluster.ts';
import { type Cluster, clusterApiVersion, readCluster } from '../../shared/api/cluster/reader.ts';
import { readWholeMachine, type WholeMachine } from '../../shared/api/machine/whole-machine.ts';
import { type MachineHealthCheck, readHealthCheck } from '../../shared/api/machine-health-check/reader.ts';
import type { WorkloadApi } from '../../shared/workload/api.ts';
import { openWorkload } from '../../shared/workload/open-workload.ts';
import { readNodes } from './observe/read-nodes.ts';
import { readRemediation } from './observe/read-remediation.ts';
import { pausedOf } from './phases/gate.ts';
import { healthOf, type Target } from './phases/health.ts';
import { countsOf, isExternal, triggerState } from './phases/trigger.ts';
import type { ObservedHealthCheck } from './seen.ts';

export interface HealthCheckPorts {
  readonly workloadApi: WorkloadApi;
}

const skipRemediation = 'cluster.x-k8s.io/skip-remediation';

/** Stops if the Paused condition is True and up to date. */
export async function observe(
  primary: Unstructured,
  ask: Reads & HealthCheckPorts,
  pass: Pass,
): Promise<ObservedHealthCheck | EarlyEnd | Stop> {
  const check = readHealthCheck(primary);
  // A MachineHealthCheck that is paused, or that needs its first condition, needs no Machines.
  const started = isFalse(check.status.conditions, 'Paused') ? selectMachines(check, ask) : undefined;
  const { namespace } = check.metadata;
  const name = check.spec.clusterName;
  const answer = await ask.get({ apiVersion: clusterApiVersion, kind: 'Cluster', namespace, name });
  const machines = await started;
  if (!answer.ok) {
    if (answer.missing && isOwnedByCluster(primary, name)) {
      return { stop: 'the Cluster that owns it is gone, and the garbage collector deletes it' };
    }
    const display = toDisplayName({ namespace, name });
    return blocked(`failed to get Cluster ${display}: ${answer.failure.message}`);
  }
  const cluster = readCluster(answer.value);
  const early = pausedGate(check, pausedOf(check, cluster));
  return (
    early ?? observeTargets({ check, cluster, machines: machines ?? (await selectMachines(check, ask)) }, ask, pass)
  );
}

interface Observing {
  readonly check: MachineHealthCheck;
  readonly cluster: Cluster;
  readonly machines: Checked<readonly WholeMachine[]>;
}

async function observeTargets(
  { check, cluster, machines }: Observing,
  ask: Reads & HealthCheckPorts,
  pass: Pass,
): Promise<ObservedHealthCheck> {
  const found: TargetsRead = machines.ok ? await readTargets(machines.value, cluster, { ask, pass }) : machines;
  if (!found.ok) {
    const { isDown = false } = found;
    const error = isDown ? found.error : `failed to fetch targets from MachineHealthCheck: ${found.error}`;
    return { step: 'withoutTargets', check, cluster, error, isDown };
  }
  const scope = { check, cluster, now: pass.now };
  const targets = found.value.map(target => ({ ...target, health: healthOf(target, scope) }));
  const seen = { step: 'targets', check, cluster, targets } as const;
  const trigger = triggerState(check.spec.remediation.triggerIf, countsOf(targets));
  const isRemediating = isExternal(check) && trigger.ok && trigger.value.isAllowed;
  return { ...seen, external: isRemediating ? await readRemediation(seen, ask) : undefined };
}

/** Sorted by name. Machines in deletion are included. Paused Machines, and those that skip remediation, are not. */
async function selectMachines(
  { metadata, spec }: MachineHealthCheck,
  ask: Pick<Reads, 'list'>,
): Promise<Checked<readonly WholeMachine[]>> {
  const { namespace } = metadata;
  const problem = selectorProblem(spec.selector);
  if (problem !== undefined) {
    return invalid(`failed to build selector: ${problem}`);
  }
  const labels = { ...spec.selector.matchLabels, [clusterNameLabel]: spec.clusterName };
  const listed = await ask.list(
    { apiVersion: clusterApiVersion, kind: 'Machine', namespace, labels },
    raw => readWholeMachine({ ...(raw as Unstructured), apiVersion: clusterApiVersion, kind: 'Machine' }), // True: items of a list are objects.
  );
  if (!listed.ok) {
    return invalid(`failed to list machines: ${listed.failure.message}`);
  }
  return valid(
    listed.value
      .filter(
        machine =>
          matchesLabels({ ...spec.selector, matchLabels: labels }, machine.metadata.labels) &&
          !(pausedAnnotation in machine.metadata.annotations) &&
          !(skipRemediation in machine.metadata.annotations),
      )
      .toSorted((a, b) => (a.metadata.name < b.metadata.name ? -1 : 1)),
  );
}

interface Asking {
  readonly ask: Reads & HealthCheckPorts;
  readonly pass: Pass;
}

type TargetsRead =
  | { readonly ok: true; readonly value: readonly Target[] }
  /** `isDown`: the workload cluster did not answer. */
  | { readonly ok: false; readonly isDown?: boolean; readonly error: string };

/** Before the control plane is initialized, the workload cluster is not asked. */
async function readTargets(
  machines: readonly WholeMachine[],
  cluster: Cluster,
  { ask, pass }: Asking,
): Promise<TargetsRead> {
  if (machines.length === 0 || !isTrue(cluster.status.conditions, 'ControlPlaneInitialized')) {
    return { ok: true, value: machines.map(machine => ({ machine, node: { state: 'none' } })) };
  }
  const names = [...new Set(machines.map(({ status }) => status.nodeRef.name).filter(name => name !== ''))];
  const read = await readNodes(names, await openWorkload(cluster, ask, pass));
  if (!read.ok) {
    return read;
  }
  const value = machines.map((machine): Target => {
    const { name } = machine.status.nodeRef;
    const node = read.nodes.get(name);
    const state = name === '' ? 'none' : 'missing';
    return { machine, node: node === undefined ? { state } : { state: 'found', node } };
  });
  return { ok: true, value };
}
