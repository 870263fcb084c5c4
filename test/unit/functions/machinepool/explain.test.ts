// What `plan` and `why` tell about a MachinePool.
import type { Unstructured } from '@capi-serverless/apimachinery';
import { type Action, blocked } from '@capi-serverless/reconciler';
import { describe, expect, it } from 'vitest';
import { concludePool, whyOfPool } from '../../../../functions/machinepool/explain.ts';
import { machinePoolReconciler } from '../../../../functions/machinepool/reconciler.ts';
import { remediesOfPool, waitOfPool } from '../../../../functions/machinepool/why/describe-pool.ts';
import { testStart } from '../../../support/object-builder.ts';
import { aConfig, aFooMachine, aNewPool, anInfrastructure, aPool, paused } from './pool-objects.ts';
import { createPoolWorld } from './pool-with-workload-cluster.ts';

type Given = NonNullable<Parameters<typeof createPoolWorld>[0]>;

async function planOf(given: Given, change: (world: ReturnType<typeof createPoolWorld>) => void = () => {}) {
  const world = createPoolWorld(given);
  change(world);
  const { signal } = new AbortController();
  const ask = { ...world.api.kubernetes, workloadApi: world.workloadApi };
  const seen = await machinePoolReconciler.observe(world.pool(), ask, { number: 1, now: testStart, signal });
  if ('stop' in seen) {
    throw new Error('The pass stopped');
  }
  return { plan: seen, actions: machinePoolReconciler.decide(seen, testStart) };
}

function reasonOf(action: Action, changedPaths: readonly string[] = []): string | undefined {
  return whyOfPool({ action, write: undefined, changedPaths, seen: blocked('') });
}

describe('a plan', () => {
  it('explains its writes', async () => {
    const infrastructure = anInfrastructure({ ready: true, replicas: 1, infrastructureMachineKind: 'FooMachine' }, [
      'p1',
    ]);
    const pool = aPool().withStatus({ nodeRefs: [{ apiVersion: 'v1', kind: 'Node', name: 'n2', uid: 'u2' }] });
    const { actions } = await planOf({ pool, infrastructure, objects: [aFooMachine(1)] });
    expect(actions.map(action => [action.id, reasonOf(action, ['spec.providerIDList'])])).toEqual([
      ['own:bootstrap', 'the MachinePool is the controller of the objects that it names'],
      ['own:infrastructure', 'the MachinePool is the controller of the objects that it names'],
      ['pool:patch', 'the providers report the ids of the machines, or the Secret with the bootstrap data'],
      ['machine:apply:x1', 'the provider represents this machine by an object, so the pool has a Machine for it'],
      ['machine:up-to-date:x1', 'the condition UpToDate of the Machine is not current'],
      ['node:delete:n2', 'the machine of this Node has left the pool'],
      ['node:mark:n1', 'the Node belongs to this pool, so it names the pool and loses the taint of new Nodes'],
    ]);
    const [own] = actions.filter(({ id }) => id === 'pool:patch');
    expect(own && reasonOf(own, ['metadata.labels'])).toBe(
      'the MachinePool lacks the owner reference or the label of its Cluster',
    );
    const deletion = await planOf({ pool: aPool().deleting() });
    expect(deletion.actions.filter(action => action.do === 'delete').map(action => reasonOf(action))).toEqual([
      'the MachinePool is being deleted, so its bootstrap config and its infrastructure are deleted',
      'the MachinePool is being deleted, so its bootstrap config and its infrastructure are deleted',
    ]);
    expect(own && reasonOf({ ...own, id: 'finalizer:remove' })).toBeUndefined();
  });

  it('tells what it knows about the Nodes', async () => {
    expect(concludePool((await planOf({})).plan)).toEqual(['The workload cluster has 2 Nodes.']);
    expect(concludePool((await planOf({ fault: 'down' })).plan)).toEqual([
      'The workload cluster of Cluster c1 does not answer, so Nodes are not counted.',
    ]);
    const failing = await planOf({}, world => {
      world.reading.listFault = 'boom';
    });
    expect(concludePool(failing.plan)).toEqual(['The Nodes could not be read: boom']);
    expect(concludePool((await planOf({ pool: aPool().deleting() })).plan)).toEqual([]);
    expect(concludePool((await planOf({ pool: aNewPool() })).plan)).toEqual([]);
  });
});

const provisioned = { infrastructureProvisioned: true, bootstrapDataSecretCreated: true };
const counted = (readyReplicas: number) => ({
  initialization: provisioned,
  deprecated: { v1beta1: { readyReplicas } },
});

describe('a wait', () => {
  it.each<{ readonly pool: { build(): Unstructured }; readonly until: string | undefined; readonly reason: string }>([
    { pool: aNewPool(), until: 'its first reconcile', reason: 'a new object' },
    { pool: aPool().withCondition('Paused'), until: 'its pause to end', reason: 'a pause' },
    {
      pool: aPool().deleting(),
      until: 'its bootstrap config and its infrastructure to be deleted',
      reason: 'a deletion',
    },
    {
      pool: aPool().withV1Beta1Condition('BootstrapReady', { status: 'False' }),
      until: 'its bootstrap data',
      reason: 'bootstrap data',
    },
    { pool: aPool(), until: 'its infrastructure to be provisioned', reason: 'infrastructure' },
    {
      pool: aPool().withStatus(counted(2)).withV1Beta1Condition('InfrastructureReady', { status: 'False' }),
      until: 'its infrastructure to be provisioned',
      reason: 'infrastructure that is not ready',
    },
    { pool: aPool().withStatus(counted(1)), until: '2 ready Nodes; it has 1', reason: 'Nodes' },
    { pool: aPool().withStatus(counted(2)), until: undefined, reason: 'nothing' },
    {
      pool: aPool().withSpec({ replicas: undefined }).withStatus(counted(0)),
      until: undefined,
      reason: 'nothing, without replicas',
    },
  ])('is for $reason', ({ pool, until }) => {
    expect(waitOfPool(pool.build())?.until).toBe(until);
  });

  it.each([
    {
      pool: aPool()
        .withCondition('Paused')
        .annotated({ [paused]: '' }),
      remedies: ['unset spec.paused', 'remove the annotation: kubectl annotate'],
    },
    { pool: aPool().withCondition('Paused'), remedies: ['unset spec.paused'] },
    {
      pool: aPool(),
      remedies: [
        'kubectl get FooConfig.bootstrap.cluster.x-k8s.io -n ns b1',
        'kubectl get FooMachinePool.infrastructure.cluster.x-k8s.io -n ns i1',
      ],
    },
    { pool: aPool().withTemplate({ bootstrap: { dataSecretName: 'x' } }), remedies: ['kubectl get FooMachinePool'] },
  ])('has remedies $remedies', ({ pool, remedies }) => {
    const object = pool.build();
    const wait = waitOfPool(object);
    expect(wait && remediesOfPool(object, wait)).toEqual(remedies.map(text => expect.stringContaining(text)));
  });
});

it('a config in deletion is not read as bootstrap data', async () => {
  const { plan } = await planOf({ bootstrap: aConfig().withFinalizers('x/y').deleting() });
  expect('seen' in plan && plan.seen.bootstrap.state).toBe('found');
});
