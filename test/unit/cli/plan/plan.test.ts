// A plan equals the writes of the next run. The plan itself writes nothing.

import { type ObjectRef, type Reads, valueAt } from '@capi-serverless/apimachinery';
import { declare, type Reconciler, TerminalError } from '@capi-serverless/reconciler';
import { describe, expect, it } from 'vitest';
import { type PlannedReconcile, toPlannable } from '../../../../cli/plan/plan.ts';
import { plannables } from '../../../../cli/plan/registry.ts';
import { toPlanReport, toPlanText } from '../../../../cli/plan/report.ts';
import { clusterReconciler } from '../../../../functions/cluster/reconciler.ts';
import { createAuthority } from '../../../../shared/certificates/x509/authority.ts';
import { reconcile } from '../../../../shared/kernel/reconcile.ts';
import {
  aCluster,
  aControlPlane,
  aLegacyInfraCluster,
  aMachine,
  aMachineDeployment,
  anInfraCluster,
} from '../../../support/builders.ts';
import { fakeSigner, fakeWorkload } from '../../../support/fake-remote.ts';
import type { NumberedCall } from '../../../support/faulty-kubernetes.ts';
import { aDeclaration, aReconciler, aRecordingLog, type SeenWidget, widgetCrd } from '../../../support/kernel.ts';
import { createMemoryApi, type MemoryApi } from '../../../support/memory-api.ts';
import { type Built, ObjectBuilder } from '../../../support/object-builder.ts';

const finalizer = 'cluster.cluster.x-k8s.io';
const held = 'provider.example.com/held';
const clusterRef: ObjectRef = { apiVersion: 'cluster.x-k8s.io/v1beta2', kind: 'Cluster', namespace: 'ns', name: 'c1' };
const referring = aCluster().withInfrastructureRef().withControlPlaneRef();
const open = { status: 'False', reason: 'NotPaused', observedGeneration: 1 } as const;
const begun = referring.withFinalizers(finalizer).withCondition('Paused', open);
const going = begun.deleting();

/** An API with the required contents of its plan, so that no fixture is empty by accident. */
const fixtures: readonly { reason: string; objects: readonly Built[]; actions: readonly string[] }[] = [
  {
    reason: 'a new Cluster with all that it names takes three passes',
    objects: [referring, anInfraCluster(), aControlPlane()],
    actions: ['finalizer:add', 'own:infrastructure', 'own:controlPlane'],
  },
  {
    reason: 'a provisioned infrastructure gives its endpoint, which moves the generation',
    objects: [begun, anInfraCluster().provisioned().withEndpoint('h.example'), aControlPlane()],
    actions: ['own:infrastructure', 'own:controlPlane', 'endpoint'],
  },
  {
    reason: 'infrastructure of the older contract',
    objects: [
      aCluster().withInfrastructureRef(aLegacyInfraCluster()),
      aLegacyInfraCluster().provisioned().withEndpoint('h.example').withFailureDomains('a'),
    ],
    actions: ['finalizer:add', 'own:infrastructure', 'endpoint'],
  },
  { reason: 'what it names does not exist', objects: [begun], actions: [] },
  {
    reason: 'it is paused: condition and finalizer, then nothing',
    objects: [referring.paused()],
    actions: ['finalizer:add'],
  },
  {
    reason: 'it is deleted and its workers go first',
    objects: [
      going,
      anInfraCluster(),
      aControlPlane(),
      aMachineDeployment().ownedBy(begun).withFinalizers(held),
      aMachine().ownedBy(begun),
    ],
    actions: ['own:infrastructure', 'own:controlPlane', 'delete:MachineDeployment/md1', 'delete:Machine/m1'],
  },
  {
    reason: 'it is deleted and the control plane is next',
    objects: [going, anInfraCluster().ownedBy(begun), aControlPlane().ownedBy(begun).withFinalizers(held)],
    actions: ['delete:SimulatedControlPlane/c1-control-plane'],
  },
  {
    reason: 'it is deleted and the infrastructure is next',
    objects: [going, anInfraCluster().ownedBy(begun).withFinalizers(held)],
    actions: ['delete:SimulatedCluster/c1-infra'],
  },
  { reason: 'it is deleted and nothing is left', objects: [going], actions: ['finalizer:remove'] },
];

describe.each(fixtures)('a plan of the Cluster reconciler: $reason', ({ objects, actions }) => {
  it('holds the writes of the run that follows, in their order', async () => {
    const api = anApi(objects);
    const plan = await planCluster(api);
    api.calls.reset();
    const { result } = await runCluster(api);
    expect(writesOf(plan)).toEqual(api.calls.all.filter(isWrite).map(toWrite));
    expect(plan.result).toEqual(result);
  });

  it('makes no writes, and has no client that can', async () => {
    const api = anApi(objects);
    const before = api.core.resourceVersion();
    await planCluster(api);
    expect(api.calls.all.filter(isWrite)).toEqual([]);
    expect(api.core.resourceVersion()).toBe(before);
  });

  it('gives a reason for each action', async () => {
    const plan = await planCluster(anApi(objects));
    const planned = plan.passes.flatMap(pass => pass.actions);
    expect(planned.map(({ action }) => action.id)).toEqual(actions);
    expect(planned.filter(({ why, action }) => why === `decided as ${action.id}`)).toEqual([]);
  });
});

describe('a plan of what has to do with the workload cluster', () => {
  const connected = aCluster()
    .withInfrastructureRef()
    .withFinalizers(finalizer)
    .withCondition('Paused', open)
    .infrastructureProvisioned()
    .withEndpoint('127.0.0.1', 1);
  const infra = anInfraCluster().provisioned().ownedBy(connected);

  function aSecret(name: string, data: Readonly<Record<string, string>>, type = 'Opaque') {
    const encoded = Object.fromEntries(Object.entries(data).map(([key, text]) => [key, btoa(text)]));
    const metadata = { ...new ObjectBuilder({ apiVersion: 'v1', kind: 'Secret', name }).build().metadata };
    return { apiVersion: 'v1', kind: 'Secret', metadata, type, data: encoded };
  }

  async function whysOf(objects: readonly Built[]): Promise<readonly string[]> {
    const plan = await planCluster(anApi(objects));
    return plan.passes.flatMap(({ actions }) => actions.map(({ action, why }) => `${action.id}: ${why}`));
  }

  it('reports the creation of a kubeconfig', async () => {
    const { certificate, privateKey } = await createAuthority(Date.now());
    const secret = aSecret('c1-ca', { 'tls.crt': certificate, 'tls.key': privateKey });
    expect(await whysOf([connected, infra, secret])).toContain(
      'kubeconfig: no control plane provider creates a kubeconfig for this Cluster, and its certificate authority exists',
    );
  });

  it('reports a connection that does not work', async () => {
    const broken = aSecret('c1-kubeconfig', { value: 'nothing' });
    expect(await whysOf([connected, infra, broken])).toContain(
      'probe:failing-since: the API server of the workload cluster does not answer: the time of the first failure is recorded',
    );
  });
});

it('plans nothing for a Cluster that a run has settled', async () => {
  const api = anApi([referring, anInfraCluster().provisioned().withEndpoint('h.example'), aControlPlane()]);
  await runCluster(api);
  expect(writesOf(await planCluster(api))).toEqual([]);
});

it('observes again after a concurrent write, as the run would', async () => {
  const api = anApi([referring]);
  let reads = 0;
  // A finalizer of another controller. Because of it, the newer metadata does not allow the planned patch.
  const body = { metadata: { finalizers: ['other.example.com/x'] } };
  const interfered: Reads = {
    ...readsOf(api),
    get: (ref: ObjectRef) => {
      reads += ref.kind === 'Cluster' ? 1 : 0;
      // The second read belongs to the write. The version that the pass read has been replaced.
      if (ref.kind === 'Cluster' && reads === 2) {
        api.core.patch(
          { endpoint: api.core.registry.endpointOfKind(ref.apiVersion, ref.kind), namespace: 'ns', name: 'c1' },
          { type: 'merge', body },
        );
      }
      return api.kubernetes.get(ref);
    },
  };
  const plan = await planCluster(api, interfered);
  expect(plan.passes[0]?.number).toBe(2);
  expect(plan.passes[0]?.actions.map(({ action }) => action.id)).toEqual(['finalizer:add']);
});

describe('a plan of any reconciler', () => {
  const ref: ObjectRef = { apiVersion: 'conformance.example.com/v1', kind: 'Widget', namespace: 'ns', name: 'w1' };
  const canary = 'canary-5f3a';
  const silent = { whyOf: () => undefined, waitOf: () => undefined };

  function planWidget(change: Partial<Reconciler<object, SeenWidget>>, callHooks = false): Promise<PlannedReconcile> {
    const api = createMemoryApi({ crds: [widgetCrd] });
    api.given({ ...ref, metadata: { name: 'w1', namespace: 'ns', uid: 'w', resourceVersion: '1' } });
    const plannable = toPlannable({ reconciler: aReconciler(change), ports: {}, ...silent });
    return plannable.plan({ reads: readsOf(api), ref, now: api.clock.now(), callHooks, probeWorkloads: true });
  }

  it("reports a provider's own action and does not run it", async () => {
    let ran = false;
    const plan = await planWidget({
      decide: () => [
        {
          id: 'network',
          onError: 'stop',
          do: 'run',
          label: 'create the network',
          run: async () => {
            ran = true;
          },
        },
      ],
    });
    expect(ran).toBe(false);
    expect(toPlanReport(plan, { source: 's', notes: [] }).passes[0]?.actions).toEqual([
      { id: 'network', do: 'run', why: 'decided as network', object: 'create the network' },
    ]);
  });

  it('shows the keys of a Secret and never its values', async () => {
    const plan = await planWidget({
      decide: () => [
        {
          id: 'secret',
          onError: 'stop',
          do: 'create',
          object: {
            apiVersion: 'v1',
            kind: 'Secret',
            metadata: { name: 's1', namespace: 'ns', annotations: { copy: canary } },
            data: { value: canary },
            stringData: { other: canary },
          },
          ours: () => false,
        },
      ],
    });
    const report = toPlanReport(plan, { source: 's', notes: [] });
    expect(report.passes[0]?.actions[0]?.body).toMatchObject({ data: { value: '(redacted)' } });
    expect(JSON.stringify(report)).not.toContain(canary);
  });

  it('omits a create whose object already exists and is ours', async () => {
    const object = { ...ref, metadata: { name: 'w1', namespace: 'ns' } };
    const plan = await planWidget({
      decide: () => [{ id: 'w1', onError: 'stop', do: 'create', object, ours: () => true }],
    });
    expect(plan.passes[0]?.actions).toEqual([]);
  });

  it('plans writes to workload clusters as if they succeeded', async () => {
    const target = { uid: 'c', namespace: 'ns', name: 'c1' };
    const node = { apiVersion: 'v1', kind: 'Node', name: 'n1' };
    const pod = { apiVersion: 'v1', kind: 'Pod', namespace: 'app', name: 'p1' };
    const body = { spec: { unschedulable: true } };
    const label = { metadata: { labels: { a: 'b' } } };
    const plan = await planWidget({
      decide: () => [
        { id: 'cordon', onError: 'stop', do: 'patch', ref: node, body, target },
        { id: 'label', onError: 'stop', do: 'patch', ref: node, body: () => label, target },
        { id: 'evict:p1', onError: 'continue', do: 'evict', pod, uid: 'p', target },
        { id: 'node', onError: 'stop', do: 'delete', ref: node, uid: 'n', target, when: () => false },
      ],
    });
    const report = toPlanReport(plan, { source: 's', notes: [] });
    expect(report.writes).toBe(3);
    expect(report.passes[0]?.actions).toEqual([
      { id: 'cordon', do: 'patch', why: 'decided as cordon', object: 'Node n1', workloadOf: 'ns/c1', body },
      { id: 'label', do: 'patch', why: 'decided as label', object: 'Node n1', workloadOf: 'ns/c1' },
      { id: 'evict:p1', do: 'evict', why: 'decided as evict:p1', object: 'Pod app/p1', workloadOf: 'ns/c1' },
    ]);
    const text = toPlanText(report);
    expect(text).toContain('1. patch Node n1 in the workload cluster of ns/c1 (cordon)');
    expect(text).toContain('3. evict Pod app/p1 in the workload cluster of ns/c1 (evict:p1)');
    expect(text).toContain('Objects: 1 changed, 1 deleted.');
  });

  it.each([
    { callHooks: false, asked: ['BeforeClusterCreate of ext1'] },
    { callHooks: true, asked: [] },
  ])('lists the hooks that would be called unless they may be called: $callHooks', async ({ callHooks, asked }) => {
    const api = createMemoryApi({ crds: [widgetCrd] });
    api.given({ ...ref, metadata: { name: 'w1', namespace: 'ns', uid: 'w', resourceVersion: '1' } });
    const { decide, report } = aReconciler();
    const reconciler: Reconciler<{ ask(): void }, SeenWidget> = {
      ...{ decide, report },
      declaration: declare({ ...aDeclaration(), ports: ['ask'] }),
      async observe(primary, ask, pass) {
        ask.ask();
        return { primary, pass: pass.number };
      },
    };
    const plannable = toPlannable({
      reconciler,
      ports: {
        ask: asking => () => (asking.callHooks ? undefined : asking.wouldAsk('BeforeClusterCreate of ext1')),
      },
      ...silent,
    });
    const plan = await plannable.plan({ reads: readsOf(api), ref, now: 0, callHooks, probeWorkloads: true });
    expect(plan.questions).toEqual(asked);
  });

  it('carries the error with which the reconcile would fail', async () => {
    const plan = await planWidget({
      observe: () => Promise.reject(new TerminalError('no such region')),
    });
    expect(toPlanReport(plan, { source: 's', notes: [] })).toMatchObject({
      result: 'failed',
      error: 'no such region',
      next: 'with the next event or resync: no retry would fix this',
    });
  });

  it('reports why there was nothing to reconcile', async () => {
    const plan = await planWidget({ observe: async () => ({ stop: 'paused' }) });
    expect(toPlanReport(plan, { source: 's', notes: ['a note'] }).notes).toEqual([
      'nothing to reconcile: paused',
      'a note',
    ]);
  });
});

function anApi(objects: readonly Built[]): MemoryApi {
  const api = createMemoryApi();
  api.given(...objects);
  return api;
}

/** Returns the reads for a plan. */
function readsOf({ kubernetes }: MemoryApi): Reads {
  const { get, metadata, list } = kubernetes;
  return { get, metadata, list };
}

async function planCluster(api: MemoryApi, reads: Reads = readsOf(api)): Promise<PlannedReconcile> {
  const [plannable] = plannables.filter(({ declaration }) => declaration.name === 'cluster');
  if (plannable === undefined) {
    throw new Error('The Cluster reconciler cannot be planned');
  }
  return plannable.plan({ reads, ref: clusterRef, now: api.clock.now(), callHooks: false, probeWorkloads: true });
}

function runCluster(api: MemoryApi) {
  return reconcile(
    {
      reconciler: clusterReconciler,
      kubernetes: api.kubernetes,
      ports: { signer: fakeSigner(), workload: fakeWorkload() },
      clock: api.clock,
      signal: new AbortController().signal,
      log: aRecordingLog(),
      watchFilter: '',
    },
    clusterRef,
  );
}

function isWrite({ verb }: NumberedCall): boolean {
  return ['create', 'patch', 'jsonPatch', 'apply', 'delete'].includes(verb);
}

type Write = readonly [verb: string, kind: string, name: string, subresource: string, body: unknown];

/** Names of Events depend on versions, which depend on all other writes. */
function toWrite({ verb, kind, of, subresource, body }: NumberedCall): Write {
  if (kind === 'Event') {
    return ['create', 'Event', '', '', [valueAt(body, 'type'), valueAt(body, 'reason'), valueAt(body, 'message')]];
  }
  return [verb, kind, 'name' in of ? of.name : '', subresource ?? '', body];
}

function writesOf({ passes }: PlannedReconcile): readonly Write[] {
  return passes.flatMap(({ actions, status, events }) => [
    ...[
      ...actions.filter(({ action }) => action.afterStatus !== true).map(({ write }) => write),
      status,
      ...actions.filter(({ action }) => action.afterStatus === true).map(({ write }) => write),
    ].flatMap((write): readonly Write[] =>
      write === undefined ? [] : [[write.verb, write.ref.kind, write.ref.name, write.subresource ?? '', write.body]],
    ),
    ...events.map(({ type, reason, message }): Write => ['create', 'Event', '', '', [type, reason, message]]),
  ]);
}
