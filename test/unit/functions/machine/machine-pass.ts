// One pass over a Machine, with fake reads of the management cluster and of the workload cluster.

import {
  type ApiFailure,
  answered,
  type ListQuery,
  refused,
  type Unstructured,
  valueAt,
} from '@capi-serverless/apimachinery';
import { applyMergePatch } from '@capi-serverless/apimachinery/json-patch';
import type { Outcome } from '@capi-serverless/reconciler';
import { createMachineReconciler } from '../../../../functions/machine/reconciler.ts';
import type { MachineSettings } from '../../../../functions/machine/seen.ts';
import { defaultSettings } from '../../../../functions/machine/settings.ts';
import type { WorkloadApi, WorkloadReads } from '../../../../shared/workload/api.ts';
import { type FakeHooks, fakeHooks } from '../../../support/fake-hooks.ts';
import { type FakeReads, fakeReads, type ReadFault } from '../../../support/fake-reads.ts';
import { type Built, built, timestamp } from '../../../support/object-builder.ts';
import { type InjectedFailure, type OnePass, onePass } from '../../../support/one-pass.ts';
import { conditionIn, conditionText, resultText } from '../../../support/result-text.ts';
import {
  aCapiCluster,
  aMachine,
  bootstrapOk,
  controlPlaneMachine,
  crds,
  infraOk,
  md1,
  ms1,
  nodeOk,
  now,
  TestObject,
} from './scenario-objects.ts';

const kubeconfigSecret: Unstructured = {
  ...new TestObject({ apiVersion: 'v1', kind: 'Secret', name: 'c1-kubeconfig' }).build(),
  data: { value: Buffer.from('kubeconfig').toString('base64') },
};

export interface ScenarioWorld {
  /** Objects of the management cluster besides Cluster, MachineSet, MachineDeployment, CRDs and kubeconfig. */
  readonly objects?: readonly Built<Unstructured>[];
  /** `null`: the object is missing. */
  readonly cluster?: Built<Unstructured> | null;
  readonly machineSet?: Built<Unstructured> | null;
  readonly machineDeployment?: Built<Unstructured> | null;
  readonly crds?: readonly Built<Unstructured>[];
  readonly kubeconfig?: Unstructured | null;
  /** Objects of the workload cluster. Default: none. */
  readonly workload?: readonly Built<Unstructured>[];
  /** The Nodes of a list that is older than the single reads. Default: those of `workload`. */
  readonly listedNodes?: readonly Built<Unstructured>[];
  /** Whether the workload cluster answers. Default: true. */
  readonly isConnected?: boolean;
  /** Whether a request failed just before, so that none is sent. Only for a cluster that does not answer. */
  readonly isGateClosed?: boolean;
  readonly readFaults?: readonly ReadFault[];
  readonly workloadFaults?: readonly ReadFault[];
  /** The failures by action id. */
  readonly failures?: Readonly<Record<string, InjectedFailure>>;
  readonly settings?: Partial<MachineSettings>;
  readonly hooks?: FakeHooks;
  readonly late?: boolean;
  /** The reconciler of the process. Default: that of a new process. */
  readonly reconciler?: ReturnType<typeof createMachineReconciler>;
  /** The time after `now` in milliseconds. */
  readonly afterMs?: number;
  /** Called for each list in the management cluster. */
  readonly onList?: (query: ListQuery) => void;
  /** The number of the pass in its invocation. Default: 1. */
  readonly number?: number;
}

export interface PassResult extends Omit<OnePass, 'events'> {
  readonly ask: FakeReads;
  /** The reads of the workload cluster. */
  readonly asked: readonly string[];
  readonly hooks: FakeHooks;
  readonly status: Readonly<Record<string, unknown>>;
  condition(type: string): string | undefined;
  v1beta1(type: string): string | undefined;
  readonly events: readonly string[];
  readonly result: string;
  /** The Machine after this pass. */
  readonly machine: Unstructured;
}

const down: ApiFailure = { reason: 'Unavailable', message: 'connection refused' };

export function fakeWorkload(world: ScenarioWorld) {
  const reads = fakeReads(world.workload ?? [], world.workloadFaults);
  const fail = async () => refused(world.isGateClosed === true ? { ...down, notSent: true } : down);
  const connected: WorkloadReads = {
    ...reads,
    resources: fail,
    async nodes() {
      const listed = await reads.list({ apiVersion: 'v1', kind: 'Node' });
      const older = world.listedNodes?.map(object => built(object));
      return listed.ok
        ? answered(
            (older ?? listed.value).map(({ metadata, spec }) => ({
              name: metadata.name,
              providerID: String(valueAt(spec as object, 'providerID') ?? ''), // true: Nodes have a spec
            })),
          )
        : listed;
    },
  };
  const api: WorkloadApi = {
    reads: () => (world.isConnected === false ? { get: fail, list: fail, nodes: fail, resources: fail } : connected),
  };
  return { api, reads };
}

/** The objects of the management cluster besides the Machine. */
export function managementObjects(world: ScenarioWorld): readonly Unstructured[] {
  const unless = <T>(given: T | null | undefined, byDefault: T): readonly T[] =>
    given === null ? [] : [given ?? byDefault];
  return [
    ...(world.crds ?? crds),
    ...unless<Built<Unstructured>>(world.cluster, aCapiCluster()),
    ...unless<Built<Unstructured>>(world.machineSet, ms1()),
    ...unless<Built<Unstructured>>(world.machineDeployment, md1()),
    ...unless(world.kubeconfig, kubeconfigSecret),
    ...(world.objects ?? []),
  ].map(object => built(object));
}

function listening(reads: FakeReads, onList: ScenarioWorld['onList']): FakeReads {
  const { list } = reads;
  const heard = (query: ListQuery, ...rest: []) => {
    onList?.(query);
    return list(query, ...rest);
  };
  return { ...reads, list: heard as FakeReads['list'] }; // true: the answer is that of the same overload
}

/** Runs one pass over the Machine. */
export async function reconcileOnce(machine: Built<Unstructured>, world: ScenarioWorld = {}): Promise<PassResult> {
  const primary = built(machine);
  const objects = managementObjects(world);
  const ask = listening(fakeReads(objects, world.readFaults), world.onList);
  const workload = fakeWorkload(world);
  const hooks = world.hooks ?? fakeHooks();
  const reconciler = world.reconciler ?? createMachineReconciler({ ...defaultSettings, ...world.settings });
  const nodes = (world.workload ?? []).map(object => built(object));
  const pass = await onePass(reconciler, primary, {
    now: now + (world.afterMs ?? 0),
    number: world.number ?? 1,
    ask: { ...ask, hooks, workloadApi: workload.api },
    late: world.late ?? false,
    world: [primary, ...objects, ...nodes],
    ...(world.failures === undefined ? {} : { failures: world.failures }),
  });
  return {
    ...pass,
    ask,
    asked: workload.reads.trips.flat(),
    hooks,
    ...toPassResult(pass, primary),
  };
}

function toPassResult({ report: reported, events, outcomes }: OnePass, primary: Unstructured) {
  const status = reported.status?.status ?? {};
  const v1beta1 = valueAt(status, 'deprecated.v1beta1.conditions');
  return {
    status,
    condition: (type: string) => conditionText(conditionIn(status['conditions'], type)),
    v1beta1: (type: string) => conditionText(conditionIn(v1beta1, type)),
    events: events.map(({ type, reason, message }) => `${type} ${reason} ${message}`),
    result: resultText(reported.result),
    machine: machineAfter(primary, outcomes, reported.status?.status),
  };
}

function machineAfter(
  primary: Unstructured,
  outcomes: ReadonlyMap<string, Outcome>,
  status: Readonly<Record<string, unknown>> | undefined,
): Unstructured {
  const newest = [...outcomes.values()].reduce(
    (object, outcome) =>
      outcome.state === 'done' && outcome.object?.metadata.uid === primary.metadata.uid ? outcome.object : object,
    primary,
  );
  // True: a patched object is an object.
  return status === undefined
    ? newest
    : (applyMergePatch(newest, { status: withoutUndefined(status) }) as Unstructured);
}

function withoutUndefined(value: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return JSON.parse(JSON.stringify(value));
}

/** The objects of a Machine that runs. */
export const runningWorld: ScenarioWorld = { objects: [bootstrapOk(), infraOk()], workload: [nodeOk()] };

/** A Machine that runs and needs no write. */
export async function aRunningMachine(
  change: (machine: TestObject) => TestObject = same => same,
): Promise<Unstructured> {
  let machine = built(change(aMachine()));
  for (let passes = 0; passes < 3; passes += 1) {
    machine = (await reconcileOnce(machine, runningWorld)).machine;
  }
  return machine;
}

/** A running Machine that was deleted one minute ago. */
export async function aDeletedMachine(change?: (machine: TestObject) => TestObject): Promise<Unstructured> {
  const machine = await aRunningMachine(change);
  return { ...machine, metadata: { ...machine.metadata, deletionTimestamp: timestamp(now - 60_000) } };
}

export const deletingWorld: ScenarioWorld = {
  ...runningWorld,
  objects: [...(runningWorld.objects ?? []), controlPlaneMachine],
};

/** Returns the Machine with these changes of metadata, spec and status. */
export function changed(machine: Unstructured, change: object): Unstructured {
  return applyMergePatch(machine, change as Readonly<Record<string, unknown>>) as Unstructured; // true: a patched object is an object
}
