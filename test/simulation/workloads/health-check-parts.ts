// MachineHealthChecks, and what users do to Nodes, for workloads.
import {
  type Intent,
  isJsonObject,
  type JsonObject,
  type ObjectRef,
  type Unstructured,
  valueAt,
} from '@capi-serverless/apimachinery';
import type { SimulatedUser } from '../system/user.ts';
import { aWholeMachine } from './machine-parts.ts';
import { nodeRef, untilRunning } from './machine-steps.ts';
import { machineRef } from './members.ts';
import { clusterRef, conditionOf, home, toIntent } from './workload.ts';

/** Why an invocation of a check is not killed alone. */
export const looksLater = 'what a check sees depends on the time at which it looks, and a repeated one looks later';

export const checkRef: ObjectRef = {
  apiVersion: 'cluster.x-k8s.io/v1beta2',
  kind: 'MachineHealthCheck',
  namespace: home,
  name: 'check',
};

/** The label of the Machines without owner that the check selects. */
const poolLabel = 'pool';

interface CheckParts {
  /** The time that a Node may be not ready. */
  readonly timeoutSeconds: number;
  /** Default: 0, so that no Machine is unhealthy because it does not start. */
  readonly nodeStartupTimeoutSeconds?: number;
  /** Default: Machines without owner. */
  readonly labels?: Readonly<Record<string, string>>;
  readonly more?: JsonObject;
}

/** A check of Nodes that are not ready. */
export function aHealthCheck({
  timeoutSeconds,
  nodeStartupTimeoutSeconds = 0,
  labels = { [poolLabel]: 'a' },
  more = {},
}: CheckParts): Intent {
  const notReady = ['False', 'Unknown'].map(status => ({ type: 'Ready', status, timeoutSeconds }));
  return {
    ...toIntent(checkRef),
    spec: {
      clusterName: 'c1',
      selector: { matchLabels: labels },
      checks: { nodeStartupTimeoutSeconds, unhealthyNodeConditions: notReady },
      ...more,
    },
  };
}

/** A Machine without owner, with its bootstrap config and its infrastructure. */
export function aCheckedMachine(name: string): readonly Intent[] {
  return aWholeMachine(name, { labels: { [poolLabel]: 'a' } });
}

/** Machines without owner that run. */
export async function startMachines(user: SimulatedUser, ...names: readonly string[]): Promise<void> {
  await user.create(...names.flatMap(aCheckedMachine));
  for (const name of names) {
    await untilRunning(user, name);
  }
}

function infrastructureOf(user: SimulatedUser, machine: string): ObjectRef {
  const name = valueAt(user.read(machineRef(machine))?.spec, 'infrastructureRef.name');
  return {
    apiVersion: 'infrastructure.cluster.x-k8s.io/v1beta2',
    kind: 'SimulatedMachine',
    namespace: home,
    name: typeof name === 'string' ? name : machine,
  };
}

const failOrder = 'simulated.capi-serverless.dev/fail-node';

function nodeOf(user: SimulatedUser, machine: string): string {
  const name = valueAt(user.read(machineRef(machine))?.status, 'nodeRef.name');
  return typeof name === 'string' ? name : machine;
}

async function orderNode(user: SimulatedUser, machine: string, failure: string | null): Promise<void> {
  const wanted = failure === null ? 'True' : 'False';
  const node = nodeOf(user, machine);
  await user.patch(infrastructureOf(user, machine), { metadata: { annotations: { [failOrder]: failure } } });
  await user
    .inWorkload(clusterRef())
    .until(`Ready of the Node of ${machine} to be ${wanted}`, nodeRef(node), it => conditionOf(it, 'Ready') === wanted);
}

/** The kubelet of the Machine reports that its Node is not ready. Returns when the API server has the report. */
export function failNode(user: SimulatedUser, machine: string): Promise<void> {
  return orderNode(user, machine, 'the disk is full');
}

/** The kubelet reports that the Node is ready again. */
export function recoverNode(user: SimulatedUser, machine: string): Promise<void> {
  return orderNode(user, machine, null);
}

/** Nodes are not watched, so a change of the Machine makes it report its Node. */
export async function untilReported(user: SimulatedUser, machine: string, ready: 'True' | 'False'): Promise<void> {
  await user.patch(machineRef(machine), { metadata: { labels: { seen: ready } } });
  await user.until(
    `NodeReady of ${machine} to be ${ready}`,
    machineRef(machine),
    it => conditionOf(it, 'NodeReady') === ready,
  );
}

/** Waits until the check counts these Machines. */
export function untilCounted(user: SimulatedUser, expected: number, healthy: number): Promise<void> {
  return user.until(
    `${healthy} of ${expected} Machines to be healthy`,
    checkRef,
    check =>
      valueAt(check?.status, 'expectedMachines') === expected && valueAt(check?.status, 'currentHealthy') === healthy,
  );
}

export function untilHealthy(user: SimulatedUser, machine: string, succeeded: 'True' | 'False'): Promise<void> {
  return user.until(
    `HealthCheckSucceeded of ${machine} to be ${succeeded}`,
    machineRef(machine),
    it => conditionOf(it, 'HealthCheckSucceeded') === succeeded,
  );
}

/** Waits until the owner of the Machine must remediate it. */
export function untilMarked(user: SimulatedUser, machine: string): Promise<void> {
  return user.until(
    `${machine} to be marked`,
    machineRef(machine),
    it => conditionOf(it, 'OwnerRemediated') === 'False',
  );
}

/** The change of a status with which an owner reports that it replaces the Machine. */
export function beingReplaced({ status }: Unstructured): JsonObject {
  const stored = valueAt(status, 'conditions');
  const conditions = (Array.isArray(stored) ? stored : []).filter(isJsonObject);
  return {
    status: {
      conditions: conditions.map(condition =>
        condition['type'] === 'OwnerRemediated'
          ? { ...condition, reason: 'MachineDeleting', message: 'its owner replaces it' }
          : condition,
      ),
    },
  };
}
