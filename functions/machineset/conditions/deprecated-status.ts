// The deprecated part of the status: counters and conditions of v1beta1 clients. Cluster API reads the Nodes for it. Here,
// the condition NodeReady of the Machines replaces the Nodes.
import { type Instant, type JsonObject, toRecord } from '@capi-serverless/apimachinery';
import { instantOf } from '@capi-serverless/apimachinery/timestamp';
import {
  aggregateV1Beta1,
  getCondition,
  setV1Beta1Condition,
  summarizeV1Beta1,
  type V1Beta1Condition,
  type V1Beta1Draft,
  v1Beta1False,
  v1Beta1True,
} from '@capi-serverless/cluster-api/conditions';
import type { WholeMachine } from '../../../shared/api/machine/whole-machine.ts';
import type { WholeMachineSet } from '../../../shared/api/machine-set/whole-machine-set.ts';
import { desiredReplicas } from '../../../shared/machine-collections/scaling-conditions.ts';
import type { StatusFacts } from './machine-set-conditions.ts';

/** The types, in the order of the summary. */
const summarizedTypes = ['MachinesCreated', 'Resized', 'MachinesReady'];

/** The deprecated condition types that this reconciler writes. */
export const ownedV1Beta1Conditions: readonly string[] = ['Ready', ...summarizedTypes];

interface DeprecatedStatus {
  /** The fields of `status.deprecated.v1beta1` that change. */
  readonly fields: JsonObject;
  readonly errors: readonly string[];
}

/** `replicas` is `status.replicas` after this pass. If the Machines are unknown, the counters are kept. */
export function deprecatedStatus(facts: StatusFacts, replicas: number): DeprecatedStatus {
  const { machineSet, machines, machinesCreated, now } = facts;
  const set = (list: readonly V1Beta1Condition[], draft: V1Beta1Draft | undefined) =>
    setV1Beta1Condition(list, draft, { now });
  const before = set(machineSet.status.deprecated.v1beta1.conditions, machinesCreated);
  const computed = machines === undefined ? nothing : compute({ machineSet, machines, replicas, now });
  const others = computed.drafts.reduce(set, before);
  const conditions = set(others, summarizeV1Beta1(others, { types: summarizedTypes }));
  return {
    fields: { ...computed.counts, ...(conditions.length === 0 ? {} : { conditions }) },
    errors: computed.errors,
  };
}

interface Computed {
  readonly counts: JsonObject;
  readonly drafts: readonly (V1Beta1Draft | undefined)[];
  readonly errors: readonly string[];
}

const nothing: Computed = { counts: {}, drafts: [], errors: [] };

interface Known {
  readonly machineSet: WholeMachineSet;
  readonly machines: readonly WholeMachine[];
  readonly replicas: number;
  readonly now: Instant;
}

function compute(known: Known): Computed {
  const { machineSet, machines, replicas } = known;
  if (machineSet.spec.replicas === undefined) {
    return { ...nothing, errors: ['Cannot update status when MachineSet spec.replicas is not set'] };
  }
  const counts = countNodes(known);
  const desired = desiredReplicas(machineSet.spec.replicas, machineSet.metadata.deletionTimestamp !== undefined);
  const sources = machines.map(({ metadata, status }) => ({
    kind: 'Machine',
    name: metadata.name,
    conditions: status.deprecated.v1beta1.conditions,
  }));
  return {
    counts,
    drafts: [
      resized(replicas, desired, counts.readyReplicas === replicas),
      replicas >= desired ? v1Beta1True('MachinesCreated') : undefined,
      aggregateV1Beta1('MachinesReady', sources),
    ],
    errors: [],
  };
}

function countNodes({ machineSet, machines, now }: Known) {
  const { metadata, spec } = machineSet.spec.template;
  const labels = Object.entries(metadata.labels);
  const ready = machines.flatMap(readySince);
  const minReadyMs = spec.minReadySeconds * 1000;
  return {
    fullyLabeledReplicas: machines.filter(machine =>
      labels.every(([key, value]) => machine.metadata.labels[key] === value),
    ).length,
    readyReplicas: ready.length,
    availableReplicas: ready.filter(since => minReadyMs === 0 || now - (since ?? now) > minReadyMs).length,
  };
}

/** Returns the time since when the Node is ready, or nothing if it is not. */
function readySince({ status }: WholeMachine): readonly (Instant | undefined)[] {
  const ready = getCondition(status.conditions, 'NodeReady');
  return status.nodeRef.name !== '' && ready?.status === 'True' ? [instantOf(ready.lastTransitionTime)] : [];
}

/** A resize is complete when all Machines are ready. Until then, the condition keeps its state. */
function resized(replicas: number, desired: number, isReady: boolean): V1Beta1Draft | undefined {
  if (replicas === desired) {
    return isReady ? v1Beta1True('Resized') : undefined;
  }
  const message = `MachineSet to ${desired} replicas (actual ${replicas})`;
  return replicas < desired
    ? v1Beta1False('Resized', { reason: 'ScalingUp', severity: 'Warning', message: `Scaling up ${message}` })
    : v1Beta1False('Resized', { reason: 'ScalingDown', severity: 'Warning', message: `Scaling down ${message}` });
}

/** Returns `status.deprecated` with these fields. `undefined` if it is empty. */
export function mergeDeprecated(stored: unknown, fields: JsonObject): JsonObject | undefined {
  const deprecated = toRecord(stored);
  const merged = { ...toRecord(deprecated['v1beta1']), ...fields };
  const whole = Object.keys(merged).length === 0 ? deprecated : { ...deprecated, v1beta1: merged };
  return Object.keys(whole).length === 0 ? undefined : whole;
}
