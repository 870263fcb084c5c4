// The Cluster reconciler with the production kernel and the in-memory API, from creation to deletion, with crashes.

import { type ObjectRef, toRef, type Unstructured } from '@capi-serverless/apimachinery';
import { beforeEach, describe, expect, it } from 'vitest';
import { createClusterReconciler, defaultSettings } from '../../../../functions/cluster/reconciler.ts';
import { reconcile } from '../../../../shared/kernel/reconcile.ts';
import type { Reconciled } from '../../../../shared/kernel/reconciled.ts';
import {
  aCluster,
  aControlPlane,
  aLegacyInfraCluster,
  aMachineDeployment,
  anInfraCluster,
} from '../../../support/builders.ts';
import { fakeSigner, fakeWorkload } from '../../../support/fake-remote.ts';
import type { NumberedCall, Verb } from '../../../support/faulty-kubernetes.ts';
import { aRecordingLog } from '../../../support/kernel.ts';
import { createMemoryApi, type MemoryApi } from '../../../support/memory-api.ts';

const held = 'provider.example.com/held';
const infra = anInfraCluster().withFinalizers(held).withEndpoint('h.example');
const controlPlane = aControlPlane().withFinalizers(held);
const cluster = aCluster().withInfrastructureRef().withControlPlaneRef();
const refs = {
  cluster: toRef(cluster.build()),
  infra: toRef(infra.build()),
  controlPlane: toRef(controlPlane.build()),
};

let api: MemoryApi;

beforeEach(() => {
  api = createMemoryApi();
});

function run(more: { readonly maxPasses?: number } = {}): Promise<Reconciled> {
  return reconcile(
    {
      reconciler: createClusterReconciler(defaultSettings),
      kubernetes: api.kubernetes,
      ports: { signer: fakeSigner(), workload: fakeWorkload() },
      clock: api.clock,
      signal: new AbortController().signal,
      log: aRecordingLog(),
      watchFilter: '',
      ...more,
    },
    refs.cluster,
  );
}

/** Returns the writes since the last call: verb, kind and subresource, without bodies. */
function takeWrites(): readonly string[] {
  const writes = api.calls.writes.map(line => line.replace(/ \{.*\}/, ''));
  api.calls.reset();
  return writes;
}

const isFinalizerPatch = (call: NumberedCall): boolean =>
  call.kind === 'Cluster' && call.verb === 'patch' && call.subresource === undefined;

async function providersFinish(): Promise<void> {
  await setStatus(refs.infra, { initialization: { provisioned: true } });
  await setStatus(refs.controlPlane, { initialization: { controlPlaneInitialized: true } });
}

async function setStatus(ref: ObjectRef, status: Readonly<Record<string, unknown>>): Promise<void> {
  expect(await api.others.mergePatch(ref, { status }, { subresource: 'status' })).toMatchObject({ ok: true });
}

async function letGo(ref: ObjectRef): Promise<void> {
  expect(await api.others.mergePatch(ref, { metadata: { finalizers: null } })).toMatchObject({ ok: true });
}

function conditionOf(object: Unstructured | undefined, type: string): unknown {
  const status = object?.status as { conditions?: readonly { type: string }[] } | undefined; // true: these kinds have conditions of this form
  return status?.conditions?.find(condition => condition.type === type);
}

describe('a Cluster that does not exist', () => {
  it('is not reconciled, and nothing is written', async () => {
    expect(await run()).toEqual({ result: { kind: 'done' }, passes: 0, writes: 0 });
    expect(conditionOf(api.find(refs.cluster), 'Available')).toBeUndefined();
    expect(takeWrites()).toEqual([]);
  });
});

describe('the life of a Cluster', () => {
  it('settles in one invocation at each step, and writes nothing without a change', async () => {
    api.given(cluster, infra, controlPlane);
    expect((await run()).result).toEqual({ kind: 'done' });
    expect(takeWrites()).toEqual(
      [
        'patch Cluster ns/c1',
        'patch Cluster ns/c1 status',
        'patch SimulatedCluster ns/c1-infra',
        'patch SimulatedControlPlane ns/c1-control-plane',
        'patch Cluster ns/c1 status',
        'create Event ns/c1',
      ].map(line => (line.startsWith('create Event') ? expect.stringContaining('create Event ns/c1.') : line)),
    );

    await providersFinish();
    expect((await run()).result).toEqual({ kind: 'done' });
    expect(takeWrites().slice(0, 2)).toEqual(['patch Cluster ns/c1', 'patch Cluster ns/c1 status']);
    expect(api.read(refs.cluster).status).toMatchObject({ phase: 'Provisioned', observedGeneration: 2 });

    // The kubeconfig is still missing.
    expect(await run()).toEqual({ result: { kind: 'requeueAfter', ms: 1_000 }, passes: 1, writes: 0 });
    expect(api.calls.all.filter(call => call.kind === 'Cluster')).toHaveLength(1);
    expect(takeWrites()).toEqual([]);
  });

  it('ends in order: workers, control plane, infrastructure, Cluster', async () => {
    const worker = aMachineDeployment().withFinalizers(held).ownedBy(cluster);
    api.given(cluster, infra, controlPlane, worker);
    await providersFinish();
    await run();
    await api.others.delete(refs.cluster);
    takeWrites();

    expect((await run()).result).toEqual({ kind: 'requeueAfter', ms: 5_000 });
    expect(takeWrites()).toContain('delete MachineDeployment ns/md1');
    await letGo(toRef(worker.build()));

    expect((await run()).result).toEqual({ kind: 'done' });
    expect(takeWrites()).toContain('delete SimulatedControlPlane ns/c1-control-plane');
    expect((await run()).writes).toBe(0);
    await letGo(refs.controlPlane);

    expect((await run()).result).toEqual({ kind: 'done' });
    expect(takeWrites()).toContain('delete SimulatedCluster ns/c1-infra');
    await letGo(refs.infra);

    expect((await run()).result).toEqual({ kind: 'done' });
    expect(takeWrites()).toEqual([
      'patch Cluster ns/c1 status',
      'patch Cluster ns/c1',
      expect.stringContaining('create Event ns/c1.'),
    ]);
    expect(api.find(refs.cluster)).toBeUndefined();
  });

  it('shows watchers the last states of a Cluster before it is gone', async () => {
    api.given(cluster);
    await run();
    await api.others.delete(refs.cluster);
    const seen: Unstructured[] = [];
    api.calls.before(isFinalizerPatch, () => seen.push(api.read(refs.cluster)));
    expect((await run()).result).toEqual({ kind: 'done' });
    const [last] = seen;
    expect(last?.metadata.finalizers).toEqual(['cluster.cluster.x-k8s.io']);
    expect(last?.status).toMatchObject({
      conditions: expect.arrayContaining([
        expect.objectContaining({ type: 'Deleting', status: 'True', reason: 'DeletionCompleted' }),
        expect.objectContaining({ type: 'Available', message: expect.stringContaining('Deletion completed') }),
      ]),
    });
    expect(api.find(refs.cluster)).toBeUndefined();
  });

  it('removes the finalizer later, with its Event, if that fails once', async () => {
    api.given(cluster);
    await run();
    await api.others.delete(refs.cluster);
    takeWrites();
    const forbidden = { reason: 'Forbidden', code: 403, message: 'no' } as const;
    api.calls.fail({ at: isFinalizerPatch, failure: forbidden });
    expect((await run()).result).toMatchObject({ kind: 'failed' });
    api.calls.reset();
    expect((await run()).result).toEqual({ kind: 'done' });
    expect(takeWrites()).toEqual(['patch Cluster ns/c1', expect.stringContaining('create Event ns/c1.')]);
    expect(api.find(refs.cluster)).toBeUndefined();
  });

  it('writes the status of a Cluster that still has another finalizer', async () => {
    api.given(cluster.withFinalizers('x/y'));
    await run();
    await api.others.delete(refs.cluster);
    await run();
    expect(api.read(refs.cluster).metadata.finalizers).toEqual(['x/y']);
    expect(conditionOf(api.read(refs.cluster), 'Deleting')).toMatchObject({ reason: 'DeletionCompleted' });
    expect((await run()).writes).toBe(0);
  });

  it('supports infrastructure of the older contract', async () => {
    const legacy = aLegacyInfraCluster().provisioned().withEndpoint('h.example').withFailureDomains('b', 'a');
    api.given(aCluster().withInfrastructureRef(legacy), legacy);
    await run();
    expect(api.read(refs.cluster)).toMatchObject({
      spec: { controlPlaneEndpoint: { host: 'h.example', port: 6443 } },
      status: {
        failureDomains: [
          { name: 'a', controlPlane: true },
          { name: 'b', controlPlane: true },
        ],
      },
    });
    expect((await run()).writes).toBe(0);
  });

  it('needs three round trips for a pass over a settled Cluster', async () => {
    api.given(cluster, infra, controlPlane);
    await providersFinish();
    await run();
    api.calls.reset();
    await run();
    const kinds = api.calls.all.map(call => `${call.verb} ${call.kind}`);
    expect(kinds).toEqual([
      'get Cluster',
      'get Secret',
      'list MachineDeployment',
      'list MachineSet',
      'list MachinePool',
      'list Machine',
      'metadata CustomResourceDefinition',
      'metadata CustomResourceDefinition',
      'get SimulatedCluster',
      'get SimulatedControlPlane',
    ]);
  });
});

describe('a concurrent write', () => {
  it('of the Cluster has it read again before its endpoint is written', async () => {
    api.given(cluster, infra, controlPlane);
    await run();
    await providersFinish();
    const isEndpoint = (call: { readonly kind: string; readonly verb: Verb; readonly subresource?: string }) =>
      call.kind === 'Cluster' && call.verb === 'patch' && call.subresource === undefined;
    let interfered = false;
    api.calls.before(isEndpoint, async () => {
      if (!interfered) {
        interfered = true;
        const mine = { spec: { controlPlaneEndpoint: { host: 'mine.example', port: 1 } } };
        expect(await api.others.mergePatch(refs.cluster, mine)).toMatchObject({ ok: true });
      }
    });
    await run();
    expect(api.read(refs.cluster).spec).toMatchObject({ controlPlaneEndpoint: { host: 'mine.example', port: 1 } });
  });
});

describe('a crash', () => {
  /** Returns everything that a user can see, without times and versions. */
  function endState(): unknown {
    const [seen, ...others] = [refs.cluster, refs.infra, refs.controlPlane].map(ref => api.find(ref));
    return [seen?.spec, withoutTimes(seen?.status), ...others.map(object => object?.metadata.ownerReferences)];
  }

  function withoutTimes(value: unknown): unknown {
    const text = JSON.stringify(value, (field, inner) => (field === 'lastTransitionTime' ? undefined : inner));
    return text === undefined ? undefined : JSON.parse(text);
  }

  /** Runs to the deletion of the control plane. `crashAt` is the number of the reconciler call. */
  async function live(crash?: { readonly at: number; readonly when: 'before' | 'after' }): Promise<number> {
    api = createMemoryApi();
    api.given(cluster, infra, controlPlane);
    await providersFinish();
    if (crash !== undefined) {
      api.calls.fail({ at: crash.at, failure: 'crash', when: crash.when, times: 1 });
    }
    await run();
    await run();
    await api.others.delete(refs.cluster);
    await run();
    await run();
    return api.calls.all.length;
  }

  it('at any call, before or after it took effect, ends with the same Cluster', async () => {
    const calls = await live();
    const expected = endState();
    expect(calls).toBeGreaterThan(20);
    for (let at = 1; at <= calls; at += 1) {
      for (const when of ['before', 'after'] as const) {
        await live({ at, when });
        expect([at, when, endState()]).toEqual([at, when, expected]);
      }
    }
  });
});
