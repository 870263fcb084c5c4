// Whole passes over a topology: the writes in order, and the report.

import type { Unstructured } from '@capi-serverless/apimachinery';
import { describe, expect, it } from 'vitest';
import { observe } from '../../../../functions/topology/observe.ts';
import { report } from '../../../../functions/topology/report.ts';
import { begin } from '../../../../functions/topology/seen.ts';
import { readCluster } from '../../../../shared/api/cluster/reader.ts';
import { aCluster } from '../../../support/builders.ts';
import { fakeHooks } from '../../../support/fake-hooks.ts';
import { fakeReads } from '../../../support/fake-reads.ts';
import { type Built, built, fieldsOf, testStart } from '../../../support/object-builder.ts';
import { managed, settledObjects } from '../../../support/settled-topology.ts';
import { aSettledTopologyCluster, aTopologyCluster } from '../../../support/topology-objects.ts';
import { aReadyClass, type TopologyWorld, topologyPass } from '../../../support/topology-pass.ts';
import { aDiscovered, extensionUrl } from '../../shared/runtime-hooks/hook-calling-pass.ts';

const settledList = Object.values(settledObjects()).map(managed);

function changed(object: Built<Unstructured>, change: object): Unstructured {
  const { metadata, ...rest } = built(object);
  return { ...rest, metadata: { ...metadata, ...change } };
}

/** Returns an extension that implements one hook. */
function answering(hook: string, body: object): Pick<TopologyWorld, 'hooks' | 'objects'> {
  const hooks = fakeHooks();
  const name = hook.toLowerCase();
  hooks.answer(extensionUrl, `${name}/${name}`, { body: { status: 'Success', ...body } });
  return { hooks, objects: [aDiscovered([{ name, hook }])] };
}

function conditionOf({ report }: { readonly report: { readonly status?: { readonly status: object } | undefined } }) {
  const conditions: unknown = fieldsOf(report.status?.status)['conditions'];
  return Array.isArray(conditions) ? conditions.find(({ type }) => type === 'TopologyReconciled') : undefined;
}

/** Returns `apply Kind`, `patch Cluster`, … in order. */
function kindsOf(writes: readonly string[]): readonly string[] {
  return writes.map(line =>
    line
      .replace(/^apply apply/, 'apply')
      .split(' ')
      .slice(0, 2)
      .join(' '),
  );
}

describe('a pass over a topology', () => {
  it('is not a pass at all where there is no topology', async () => {
    const ask = { ...fakeReads([]), hooks: fakeHooks(), dryRun: { apply: never }, nodes: { kubeletVersions: never } };
    const pass = { number: 1, now: testStart, signal: new AbortController().signal };
    const seen = await observe(built(aCluster()), ask, { pass, settings: { callsExtensions: true } });
    expect(seen).toEqual({ stop: 'no topology' });
  });

  it.each([
    {
      reason: 'spec.paused',
      cluster: aTopologyCluster().paused(),
      message: 'Cluster spec.paused is set to true',
    },
    {
      reason: 'both ways',
      cluster: aTopologyCluster().paused().annotated({ 'cluster.x-k8s.io/paused': '' }),
      message: 'Cluster spec.paused is set to true, Cluster has the cluster.x-k8s.io/paused annotation',
    },
  ])('only reports a pause: $reason', async ({ cluster, message }) => {
    const pass = await topologyPass({ cluster });
    expect(conditionOf(pass)).toMatchObject({ status: 'False', reason: 'Paused', message });
    expect(pass.writes).toEqual([]);
    expect(pass.reads.trips).toEqual([]);
    expect(pass.report.result).toEqual({ kind: 'done' });
  });

  it('creates everything in one pass, and the Cluster references its objects before workers exist', async () => {
    const pass = await topologyPass({ cluster: aTopologyCluster() });
    expect(kindsOf(pass.writes)).toEqual([
      'patch Cluster',
      'create Secret',
      'apply GenericInfrastructureCluster',
      'apply GenericInfrastructureMachineTemplate',
      'apply KubeadmControlPlane',
      'patch Cluster',
      'apply GenericInfrastructureMachineTemplate',
      'apply KubeadmConfigTemplate',
      'apply MachineDeployment',
      'apply GenericInfrastructureMachinePool',
      'apply KubeadmConfig',
      'apply MachinePool',
    ]);
    expect(pass.dryRuns).toEqual([]);
    expect(conditionOf(pass)).toMatchObject({ status: 'True', reason: 'ReconcileSucceeded', observedGeneration: 2 });
    expect(pass.report.result).toEqual({ kind: 'done' });
    expect(pass.events[3]).toEqual({
      type: 'Normal',
      reason: 'TopologyUpdate',
      message: 'Updated Cluster "ns1/c1"',
    });
    expect(pass.events).toHaveLength(10);
  });

  it('names the infrastructure if the control plane fails, and omits the name in the error', async () => {
    const made = await topologyPass({ cluster: aTopologyCluster() });
    const id = made.actions.map(action => action.id).find(each => each.startsWith('apply KubeadmControlPlane'));
    const pass = await topologyPass({
      cluster: aTopologyCluster(),
      failures: { [id ?? '']: { message: `no ${id}`, reason: 'InternalError' } },
    });
    const patch = pass.writes.filter(line => line.startsWith('patch Cluster')).at(-1);
    expect(patch).toContain('infrastructureRef');
    expect(patch).not.toContain('controlPlaneRef');
    expect(conditionOf(pass)).toMatchObject({
      reason: 'ReconcileFailed',
      message:
        'error reconciling the Cluster topology: failed to create KubeadmControlPlane.controlplane.cluster.x-k8s.io',
    });
    expect(pass.report.result).toMatchObject({ kind: 'failed', terminal: false });
  });

  it('reports why its class cannot be used', async () => {
    const pass = await topologyPass({ cluster: aTopologyCluster({ classRef: { name: 'other' } }) });
    expect(conditionOf(pass)).toMatchObject({
      reason: 'ReconcileFailed',
      message: expect.stringMatching(/^failed to retrieve ClusterClass ns1\/other: /),
    });
    expect(pass.report.result).toMatchObject({ kind: 'failed', terminal: false });
  });

  it.each([
    { conditions: [], result: { kind: 'done' }, reason: 'a new class, whose reconciler will enqueue the Cluster' },
    {
      conditions: [
        {
          type: 'VariablesReady',
          status: 'False',
          reason: 'x',
          message: '',
          lastTransitionTime: '2026-01-01T00:00:00Z',
        },
      ],
      result: expect.objectContaining({ kind: 'failed', terminal: false }),
      reason: 'a class that has a problem',
    },
  ])('fails over $reason', async ({ conditions, result }) => {
    const ready = aReadyClass();
    const clusterClass = { ...ready, status: { ...fieldsOf(ready.status), conditions } };
    const pass = await topologyPass({ cluster: aTopologyCluster(), clusterClass });
    expect(conditionOf(pass)).toMatchObject({
      reason: 'ReconcileFailed',
      message:
        'ClusterClass is not successfully reconciled: status of VariablesReady condition on ClusterClass must be "True"',
    });
    expect(pass.report.result).toEqual(result);
    expect(pass.writes).toEqual([]);
  });

  it('waits without a retry for a class that its own reconciler has not reconciled', async () => {
    const clusterClass = changed(aReadyClass(), { generation: 3 });
    const pass = await topologyPass({ cluster: aTopologyCluster(), clusterClass });
    expect(conditionOf(pass)).toMatchObject({ status: 'False', reason: 'ClusterClassNotReconciled' });
    expect(pass.report.result).toEqual({ kind: 'done' });
  });

  it('writes the defaults of variables before all other writes', async () => {
    const schema = { openAPIV3Schema: { type: 'string', default: 'r1' } };
    const variables = [{ name: 'region', definitions: [{ from: 'inline', required: false, schema }] }];
    const ready = aReadyClass();
    const clusterClass = { ...ready, status: { ...fieldsOf(ready.status), variables } };
    const pass = await topologyPass({ cluster: aTopologyCluster(), clusterClass });
    expect(pass.writes[0]).toBe(
      'patch Cluster ns1/c1 {"metadata":{"annotations":{"runtime.cluster.x-k8s.io/pending-hooks":"AfterControlPlaneInitialized"}},"spec":{"topology":{"variables":[{"name":"region","value":"r1"}]}}}',
    );
    expect(conditionOf(pass)).toMatchObject({ status: 'True', observedGeneration: 3 });
  });

  it('stops when its account of hooks cannot be written', async () => {
    const pass = await topologyPass({
      cluster: aTopologyCluster(),
      failures: { bookkeeping: { message: 'forbidden' } },
    });
    expect(conditionOf(pass)?.message).toBe(
      'error reconciling the Cluster topology: failed to patch Cluster ns1/c1: forbidden',
    );
    expect(pass.actions[0]).toMatchObject({ id: 'bookkeeping', onError: 'stop' });
  });

  it('creates nothing while a hook blocks it', async () => {
    const pass = await topologyPass({
      cluster: aTopologyCluster(),
      ...answering('BeforeClusterCreate', { message: 'wait', retryAfterSeconds: 30 }),
    });
    expect(kindsOf(pass.writes)).toEqual(['patch Cluster']);
    expect(pass.writes[0]).toContain('capi-serverless.dev/blocking-hooks');
    expect(conditionOf(pass)).toMatchObject({
      reason: 'ClusterCreating',
      message: 'Following hooks are blocking Cluster topology creation: BeforeClusterCreate: wait',
    });
    expect(pass.report.result).toEqual({ kind: 'requeueAfter', ms: 30_000 });
  });

  it.each(['BeforeClusterCreate', 'AfterControlPlaneInitialized'])('fails when %s fails', async hook => {
    const trueCondition = { type: 'ControlPlaneInitialized', status: 'True', reason: 'x', message: '' };
    const cluster = aTopologyCluster()
      .annotated({ 'runtime.cluster.x-k8s.io/pending-hooks': 'AfterControlPlaneInitialized' })
      .withStatus({ conditions: [{ ...trueCondition, lastTransitionTime: '2026-01-01T00:00:00Z' }] });
    const pass = await topologyPass({ cluster, ...answering(hook, { status: 'Failure', message: 'no' }) });
    expect(conditionOf(pass)).toMatchObject({ reason: 'ReconcileFailed', message: expect.stringContaining('no') });
    expect(kindsOf(pass.writes).filter(line => line !== 'patch Cluster')).toEqual([]);
  });

  it('works without extensions where they are switched off', async () => {
    const pass = await topologyPass({
      cluster: aTopologyCluster(),
      callsExtensions: false,
      ...answering('BeforeClusterCreate', { message: 'wait', retryAfterSeconds: 30 }),
    });
    expect(kindsOf(pass.writes)).toContain('apply MachinePool');
  });

  it('repairs objects without managed fields and reconciles again after a second', async () => {
    const bare = settledList.map(each => (each.kind === 'MachinePool' ? built(settledObjects().mp1) : each));
    const pass = await topologyPass({ cluster: aSettledTopologyCluster(), objects: bare });
    expect(kindsOf(pass.writes)).toEqual(['patch MachinePool']);
    expect(pass.actions[0]).toMatchObject({ resourceVersion: built(settledObjects().mp1).metadata.resourceVersion });
    expect(pass.report.result).toEqual({ kind: 'requeueAfter', ms: 1000 });
    const refused = await topologyPass({
      cluster: aSettledTopologyCluster(),
      objects: bare,
      failures: { 'managed fields of MachinePool c1-mp1-jjjjj': { message: 'no' } },
    });
    expect(conditionOf(refused)?.message).toBe('failed to repair managed fields of MachinePool c1-mp1-jjjjj: no');
  });

  it.each([
    { reason: 'a template of the class', without: 'infra-cluster', step: 'error reading the ClusterClass: ' },
    {
      reason: 'an object of the topology',
      without: 'c1-bbbbb',
      step: 'error reading current state of the Cluster topology: ',
    },
  ])('reports which step failed: $reason', async ({ without, step }) => {
    const pass = await topologyPass({
      cluster: aSettledTopologyCluster(),
      objects: settledList,
      faults: [
        `GenericInfrastructureClusterTemplate ns1/${without}`,
        `GenericInfrastructureCluster ns1/${without}`,
      ].map(name => ({ at: `get ${name}`, message: 'broken' })),
    });
    expect(conditionOf(pass)?.message).toContain(step);
    expect(pass.writes).toEqual([]);
  });

  it.each([
    {
      reason: 'the plan of an upgrade',
      world: { cluster: aSettledTopologyCluster({ version: 'v1.35.0' }) },
      error: 'cannot compute an upgrade plan from v1.31.0 to v1.35.0',
    },
    {
      reason: 'a name',
      world: {
        cluster: aTopologyCluster(),
        clusterClass: aReadyClass({ infrastructure: { naming: { template: '{{ .nothing }}' } } }),
        objects: [],
      },
      error: /rendering template/,
    },
    {
      reason: 'a class of workers that is not there',
      world: {
        cluster: aTopologyCluster({ workers: { machineDeployments: [{ class: 'other', name: 'md1' }] } }),
        objects: [],
      },
      error: /MachineDeployment class other not found in ClusterClass ns1\/class1/,
    },
    {
      reason: 'a patch',
      world: {
        cluster: aTopologyCluster(),
        clusterClass: aReadyClass({
          spec: {
            patches: [
              {
                name: 'p1',
                definitions: [
                  {
                    selector: {
                      apiVersion: 'infrastructure.cluster.x-k8s.io/v1beta2',
                      kind: 'GenericInfrastructureClusterTemplate',
                      matchResources: { infrastructureCluster: true },
                    },
                    jsonPatches: [{ op: 'add', path: '/spec/template/spec/a/b', value: 1 }],
                  },
                ],
              },
            ],
          },
        }),
        objects: [],
      },
      error: /failed to apply patches: failed to apply patches for patch "p1"/,
    },
  ])('reports that the desired state cannot be computed: $reason', async ({ world, error }) => {
    const pass = await topologyPass({ objects: settledList, ...world });
    const prefix = 'error computing the desired state of the Cluster topology: ';
    expect(conditionOf(pass)?.message).toContain(prefix);
    expect(conditionOf(pass)?.message.slice(prefix.length)).toMatch(error);
    expect(kindsOf(pass.writes).filter(line => line !== 'patch Cluster')).toEqual([]);
  });

  it('begins an upgrade with the control plane, and writes the step down before', async () => {
    const pass = await topologyPass({
      cluster: aSettledTopologyCluster({ version: 'v1.32.0' }),
      objects: settledList,
      callsExtensions: false,
    });
    expect(kindsOf(pass.writes)).toContain('apply KubeadmControlPlane');
    expect(pass.writes.filter(line => line.startsWith('patch Cluster'))).toEqual([
      expect.stringContaining('"topology.internal.cluster.x-k8s.io/upgrade-step":"v1.32.0"'),
    ]);
    expect(conditionOf(pass)).toMatchObject({ status: 'False', reason: 'ClusterUpgrading' });
  });

  it('uses the generation that was read if a response has none', () => {
    const cluster = readCluster(built(aTopologyCluster()));
    const outcomes = new Map([['cluster', { state: 'done' } as const]]);
    const { status } = report(begin(cluster), outcomes, testStart);
    expect(conditionOf({ report: { status } })).toMatchObject({ observedGeneration: 1 });
  });

  it('reports the errors of the webhook if nothing else failed', async () => {
    const workers = {
      machineDeployments: [
        { class: 'worker', name: 'md1' },
        { class: 'worker', name: 'md2' },
      ],
    };
    const check = { healthCheck: { enabled: true } };
    const twice = { machineDeployments: workers.machineDeployments.map(each => ({ ...each, ...check })) };
    const pass = await topologyPass({ cluster: aTopologyCluster({ workers: twice }) });
    expect(conditionOf(pass)?.message).toMatch(
      /^Cluster\.cluster\.x-k8s\.io "c1" is invalid: \[spec\.topology\.workers\.machineDeployments\[md1\]/,
    );
    expect(pass.writes).toEqual([]);
  });

  it('checks versions against the list of the class only for new Clusters: a class may drop a version in use', async () => {
    const clusterClass = aReadyClass({ spec: { kubernetesVersions: ['v1.32.0'] } });
    const made = await topologyPass({ cluster: aTopologyCluster(), clusterClass });
    expect(conditionOf(made)?.message).toContain('version must match one of the versions defined in the ClusterClass');
    const running = await topologyPass({ cluster: aSettledTopologyCluster(), clusterClass, objects: settledList });
    expect(conditionOf(running)).toMatchObject({ status: 'True' });
  });

  it.each([
    {
      reason: 'a hook holds the deletion up',
      world: answering('BeforeClusterDelete', { message: 'later', retryAfterSeconds: 5 }),
      isApproved: false,
      message: 'Cluster is deleting. Following hooks are blocking delete: BeforeClusterDelete: later',
      result: { kind: 'requeueAfter', ms: 5000 },
    },
    {
      reason: 'no extension serves the hook',
      world: {},
      isApproved: true,
      message: 'Cluster is deleting',
      result: { kind: 'done' },
    },
    {
      reason: 'extensions are switched off',
      world: { callsExtensions: false },
      isApproved: false,
      message: 'Cluster is deleting',
      result: { kind: 'done' },
    },
    {
      reason: 'the hook fails',
      world: answering('BeforeClusterDelete', { status: 'Failure', message: 'no' }),
      isApproved: false,
      message: expect.stringContaining('no'),
      result: expect.objectContaining({ kind: 'failed' }),
    },
  ])('allows the deletion of a Cluster: $reason', async ({ world, isApproved, message, result }) => {
    const pass = await topologyPass({ cluster: aSettledTopologyCluster().deleting(), ...world });
    expect(pass.writes.some(line => line.includes('ok-to-delete'))).toBe(isApproved);
    expect(conditionOf(pass)).toMatchObject({ status: 'False', message });
    expect(pass.report.result).toEqual(result);
  });
});

function never(): Promise<never> {
  throw new Error('must not be asked');
}
