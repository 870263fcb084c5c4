// The Machine reconciler with the production kernel, an in-memory API and an in-memory workload cluster, from creation to
// deletion, and with crashes: at every fifth call, and with CAPI_TEST_EXTENT=full at every call.

import { toRef, type Unstructured } from '@capi-serverless/apimachinery';
import type { WorkloadWrites } from '@capi-serverless/reconciler/runner';
import { beforeEach, describe, expect, it } from 'vitest';
import { createMachineReconciler } from '../../../../functions/machine/reconciler.ts';
import { defaultSettings } from '../../../../functions/machine/settings.ts';
import { toDefinition } from '../../../../shared/api/schema/definition.ts';
import { anyObject } from '../../../../shared/api/schema/json-schema.ts';
import { reconcile } from '../../../../shared/kernel/reconcile.ts';
import type { Reconciled } from '../../../../shared/kernel/reconciled.ts';
import { createMemoryWorkload, type MemoryWorkload } from '../../../../shared/kubernetes/memory/memory-workload.ts';
import type { WorkloadApi, WorkloadReads } from '../../../../shared/workload/api.ts';
import { aCluster } from '../../../support/builders.ts';
import { disturbed } from '../../../support/extent.ts';
import { fakeHooks } from '../../../support/fake-hooks.ts';
import { Crash } from '../../../support/faulty-kubernetes.ts';
import { aRecordingLog } from '../../../support/kernel.ts';
import { countingIds, createMemoryApi, type MemoryApi } from '../../../support/memory-api.ts';
import { conditionIn, conditionText } from '../../../support/result-text.ts';
import { aFreshMachine, b1, controlPlaneMachine, i1, md1, ms1, TestObject } from './scenario-objects.ts';

const definitionOf = (group: string, kind: string) =>
  toDefinition({
    description: kind,
    group,
    version: 'v1',
    kind,
    labels: { 'cluster.x-k8s.io/v1beta2': 'v1' },
    required: [],
    spec: anyObject('Any fields.'),
    status: anyObject('Any fields.'),
    columns: [],
  });
const definitions = [
  definitionOf('infrastructure.cluster.x-k8s.io', 'FooMachine'),
  definitionOf('bootstrap.cluster.x-k8s.io', 'FooConfig'),
];

const refs = {
  machine: toRef(aFreshMachine().build()),
  infra: toRef(i1().build()),
  bootstrap: toRef(b1().build()),
  cluster: toRef(aCluster().build()),
};
const node = { apiVersion: 'v1', kind: 'Node', name: 'n1' };
const pod = (name: string) => ({ apiVersion: 'v1', kind: 'Pod', namespace: 'app', name });

/** A crash at one call to the workload cluster: the call with this number, before or after it takes effect. */
interface WorkloadCrash {
  readonly at: number;
  readonly when: 'before' | 'after';
}

let api: MemoryApi;
let workload: MemoryWorkload;
let workloadCalls: string[];
let crash: WorkloadCrash | undefined;

beforeEach(begin);

async function begin(): Promise<void> {
  api = createMemoryApi({ crds: definitions });
  workload = createMemoryWorkload({ clock: api.clock, ids: countingIds(1000) });
  workloadCalls = [];
  crash = undefined;
  const secret: Unstructured = {
    ...new TestObject({ apiVersion: 'v1', kind: 'Secret', name: 'c1-kubeconfig' }).build(),
    data: { value: Buffer.from('kubeconfig').toString('base64') },
  };
  const cluster = aCluster()
    .withStatus({ initialization: { infrastructureProvisioned: true } })
    .withCondition('ControlPlaneInitialized')
    .withCondition('RemoteConnectionProbe');
  const member = controlPlaneMachine.withSpec(aFreshMachine().build().spec as object as Record<string, unknown>);
  api.given(cluster, ms1(), md1(), member, secret, b1(), i1(), aFreshMachine());
}

function workloadCluster() {
  return workload.cluster(api.read(refs.cluster).metadata.uid);
}

async function call<T>(line: string, send: () => Promise<T>): Promise<T> {
  workloadCalls.push(line);
  const isHere = crash?.at === workloadCalls.length;
  if (isHere && crash?.when === 'before') {
    throw new Crash(line);
  }
  const answer = await send();
  if (isHere) {
    throw new Crash(line);
  }
  return answer;
}

/** The port with recorded calls. */
const recordedApi: WorkloadApi = {
  reads: (target, signal) => {
    const reads = workload.api.reads(target, signal);
    // True: the answer is that of the same overload.
    const recorded: Pick<WorkloadReads, 'get' | 'list'> = {
      get: ((ref: Parameters<WorkloadReads['get']>[0]) =>
        call(`get ${ref.kind} ${ref.name}`, () => reads.get(ref))) as WorkloadReads['get'],
      list: ((...query: Parameters<WorkloadReads['list']>) =>
        call(`list ${query[0].kind}`, () => reads.list(...query))) as WorkloadReads['list'],
    };
    const { resources } = reads;
    return { ...recorded, resources, nodes: () => call('list Node', () => reads.nodes()) };
  },
};

function recordedWrites(writes: WorkloadWrites): WorkloadWrites {
  return {
    mergePatch: (ref, ...rest) => call(`patch ${ref.kind} ${ref.name}`, () => writes.mergePatch(ref, ...rest)),
    delete: (ref, ...rest) => call(`delete ${ref.kind} ${ref.name}`, () => writes.delete(ref, ...rest)),
    evict: (ref, ...rest) => call(`evict ${ref.name}`, () => writes.evict(ref, ...rest)),
    metadata: ref => call(`get ${ref.kind} ${ref.name}`, () => writes.metadata(ref)),
    createManifest: (object, place) => writes.createManifest(object, place),
  };
}

/** One invocation by a new process. */
function run(): Promise<Reconciled> {
  return reconcile(
    {
      reconciler: createMachineReconciler(defaultSettings),
      kubernetes: api.kubernetes,
      ports: { hooks: fakeHooks(), workloadApi: recordedApi },
      workload: target => recordedWrites(workload.writers(target)),
      clock: api.clock,
      signal: new AbortController().signal,
      log: aRecordingLog(),
      watchFilter: '',
    },
    refs.machine,
  );
}

/** Invokes the function, as events and timers would, until an invocation writes nothing and requests nothing. */
async function settle(): Promise<void> {
  for (let invocations = 0; invocations < 20; invocations += 1) {
    const writes = api.calls.writes.length + workloadCalls.filter(isWrite).length;
    const { result } = await run();
    await api.clock.advance(result.kind === 'requeueAfter' ? result.ms : 1000);
    const after = api.calls.writes.length + workloadCalls.filter(isWrite).length;
    if (after === writes && result.kind === 'done') {
      return;
    }
  }
  throw new Error('The Machine does not settle');
}

function isWrite(line: string): boolean {
  return /^(patch|delete|evict) /.test(line);
}

/** The providers of bootstrap data and infrastructure, and the kubelet. */
async function providersFinish(): Promise<void> {
  await patchStatus(refs.bootstrap, { initialization: { dataSecretCreated: true }, dataSecretName: 's1' });
  await api.others.mergePatch(refs.infra, { spec: { providerID: 'foo://1' } });
  await patchStatus(refs.infra, { initialization: { provisioned: true } });
  const { kubernetes } = workloadCluster();
  await kubernetes.create({ ...node, metadata: { name: 'n1' }, spec: { providerID: 'foo://1' } });
  const conditions = ['Ready', 'MemoryPressure', 'DiskPressure', 'PIDPressure'].map(type => ({
    type,
    status: type === 'Ready' ? 'True' : 'False',
    lastTransitionTime: '2026-01-01T00:00:00Z',
  }));
  await kubernetes.mergePatch(node, { status: { conditions } }, { subresource: 'status' });
}

async function patchStatus(ref: typeof refs.infra, status: object): Promise<void> {
  expect(await api.others.mergePatch(ref, { status }, { subresource: 'status' })).toMatchObject({ ok: true });
}

/** Two Pods of which one is left alone. */
async function startPods(): Promise<void> {
  const { kubernetes } = workloadCluster();
  await kubernetes.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'app' } });
  for (const [name, labels] of [
    ['p1', {}],
    ['kept', { 'cluster.x-k8s.io/drain': 'skip' }],
  ] as const) {
    const created = await kubernetes.create({
      ...pod(name),
      metadata: { name, namespace: 'app', labels },
      spec: { nodeName: 'n1', containers: [{ name: 'c', image: 'i' }] },
    });
    expect(created).toMatchObject({ ok: true });
  }
}

function condition(type: string): string | undefined {
  const status = api.find(refs.machine)?.status as { readonly conditions?: unknown } | undefined; // true: the definition requires this form
  return conditionText(conditionIn(status?.conditions, type));
}

async function runningMachine(): Promise<void> {
  await providersFinish();
  await settle();
  expect(condition('Ready')).toBe('True/Ready');
}

async function wholeLife(): Promise<void> {
  await settle();
  await runningMachine();
  await startPods();
  await api.others.delete(refs.machine);
  await settle();
}

/** The reasons of the Events, in their order. */
function eventReasons(): readonly string[] {
  const events = api.core.list(api.core.registry.endpointOfKind('v1', 'Event'), {}).items;
  return events.map(({ reason }) => String(reason)).sort();
}

/** What remains, and what was requested of the workload cluster. */
async function outcome(): Promise<object> {
  const { kubernetes } = workloadCluster();
  const isThere = async (of: Parameters<typeof kubernetes.get>[0]) => (await kubernetes.get(of)).ok;
  return {
    machine: api.find(refs.machine) === undefined,
    infra: api.find(refs.infra) === undefined,
    bootstrap: api.find(refs.bootstrap) === undefined,
    node: await isThere(node),
    evicted: !(await isThere(pod('p1'))),
    kept: await isThere(pod('kept')),
    evictions: [...new Set(workloadCalls.filter(line => line.startsWith('evict ')))],
  };
}

const ended = {
  machine: true,
  infra: true,
  bootstrap: true,
  node: false,
  evicted: true,
  kept: true,
  evictions: ['evict p1'],
};

const allEvents = ['NodeVolumesDetached', 'SuccessfulDrainNode', 'SuccessfulSetNodeRef'];

/** A process that is killed after the status is stored records no Event. No Event is recorded twice. */
function expectNoRepeatedEvent(): void {
  const reasons = eventReasons();
  expect(reasons).toEqual(allEvents.filter(reason => reasons.includes(reason)));
}

describe('the life of a Machine', () => {
  it('begins with one invocation, waits for its objects, and runs', async () => {
    expect((await run()).result).toMatchObject({ kind: 'done' });
    expect(api.read(refs.machine).status).toMatchObject({ phase: 'Pending' });
    await providersFinish();
    await settle();
    expect(api.read(refs.machine)).toMatchObject({
      spec: { providerID: 'foo://1', bootstrap: { dataSecretName: 's1' } },
      status: { phase: 'Running', nodeRef: { name: 'n1' }, observedGeneration: 2 },
    });
    expect(condition('Available')).toBe('True/Available');
  });

  it('writes nothing to either cluster while nothing changes', async () => {
    await settle();
    await runningMachine();
    api.calls.reset();
    workloadCalls = [];
    expect(await run()).toMatchObject({ passes: 1, writes: 0, result: { kind: 'done' } });
    expect(api.calls.all).toHaveLength(9);
    expect(workloadCalls).toEqual(['get Node n1']);
  });

  it('ends with the drain, the objects, the Node, then the Machine', async () => {
    await wholeLife();
    expect(workloadCalls.filter(isWrite)).toEqual(['patch Node n1', 'patch Node n1', 'evict p1', 'delete Node n1']);
    expect(await outcome()).toEqual(ended);
    expect(eventReasons()).toEqual(allEvents);
  });

  it('evicts Pods only after their Node was cordoned, and deletes the Node after the infrastructure', async () => {
    await settle();
    await runningMachine();
    await startPods();
    await api.others.delete(refs.machine);
    const unschedulable: unknown[] = [];
    const seen = workload.writers;
    const spied: MemoryWorkload = {
      ...workload,
      writers: target => ({
        ...seen(target),
        evict: async (...args) => {
          const read = await workloadCluster().kubernetes.get(node);
          unschedulable.push(read.ok ? (read.value.spec as { unschedulable?: boolean }).unschedulable : undefined);
          return seen(target).evict(...args);
        },
        delete: async (...args) => {
          expect(api.find(refs.infra)).toBeUndefined();
          return seen(target).delete(...args);
        },
      }),
    };
    workload = spied;
    await settle();
    expect(unschedulable).toEqual([true]);
  });
});

describe('a process that is killed', () => {
  it.each([{ when: 'before' }, { when: 'after' }] as const)(
    '$when any call to the management cluster takes effect: the end is the same',
    async ({ when }) => {
      await wholeLife();
      const calls = api.calls.all.length;
      expect(calls).toBeGreaterThan(60);
      for (const number of disturbed(calls)) {
        await begin();
        api.calls.fail({ at: number, failure: 'crash', when, times: 1 });
        await wholeLife();
        expect({ number, ...(await outcome()) }).toEqual({ number, ...ended });
        expectNoRepeatedEvent();
      }
    },
  );

  it.each([{ when: 'before' }, { when: 'after' }] as const)(
    '$when any call to the workload cluster takes effect: the end is the same',
    async ({ when }) => {
      await wholeLife();
      const calls = workloadCalls.length;
      expect(calls).toBeGreaterThan(10);
      for (const at of disturbed(calls)) {
        await begin();
        crash = { at, when };
        await wholeLife();
        expect({ at, ...(await outcome()) }).toEqual({ at, ...ended });
        expectNoRepeatedEvent();
      }
    },
  );
});
