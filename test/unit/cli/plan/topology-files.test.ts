// Plans of topologies from manifests only, as in a pull request, without calls to other systems.

import { type ObjectRef, toRef, type Unstructured, valueAt } from '@capi-serverless/apimachinery';
import { setAt } from '@capi-serverless/cluster-api/contract';
import { describe, expect, it } from 'vitest';
import { type GivenObject, readObjects, seed } from '../../../../cli/plan/files.ts';
import type { PlannedReconcile } from '../../../../cli/plan/plan.ts';
import { plannables } from '../../../../cli/plan/registry.ts';
import { toPlanReport, toPlanText } from '../../../../cli/plan/report.ts';
import { nodesAsReported } from '../../../../functions/topology/explain.ts';
import { hooksThatAgree } from '../../../../shared/explain/hooks-that-agree.ts';
import { aMachineDeployment, aMachineSet } from '../../../support/builders.ts';
import {
  clusterRef,
  type ExampleTopology,
  exampleFiles,
  settledExample,
  workersOf,
} from '../../../support/example-topology.ts';
import { fakeReads } from '../../../support/fake-reads.ts';
import { testStart } from '../../../support/object-builder.ts';

const now = testStart;

async function planFiles(
  objects: readonly GivenObject[],
  reconciler = 'topology',
  ref = clusterRef,
): Promise<PlannedReconcile> {
  const plannable = plannables.find(({ declaration }) => declaration.name === reconciler);
  const { kubernetes: reads } = seed(objects, now);
  const planning = { reads, ref, now, callHooks: false, probeWorkloads: false, fromFiles: true } as const;
  const plan = await plannable?.plan(planning);
  if (plan === undefined) {
    throw new Error(`There is no reconciler ${reconciler}`);
  }
  return plan;
}

function textOf(plan: PlannedReconcile): string {
  return toPlanText(toPlanReport(plan, { source: 'files', notes: [] }));
}

/** Returns all objects in the namespace in the form of `kubectl get --show-managed-fields -o json`. */
function printed({ api }: ExampleTopology): readonly Unstructured[] {
  return api.core
    .snapshot()
    .objects.filter(({ kind, metadata }) => metadata.namespace === 'default' && kind !== 'Event');
}

function withoutManagers(objects: readonly Unstructured[]): readonly Unstructured[] {
  return objects.map(object => {
    const { managedFields: _, ...metadata } = { managedFields: [], ...object.metadata };
    return { ...object, metadata };
  });
}

const large = (world: ExampleTopology) =>
  world.edit(clusterRef, cluster => {
    Object.assign(valueAt(cluster, 'spec.topology') ?? {}, { variables: [{ name: 'size', value: 'large' }] });
  });

/** Returns the parts of a plan's writes that do not depend on the versions and uids of a server. */
function actionsOf({ passes }: PlannedReconcile) {
  return passes.flatMap(({ actions }) => actions.map(({ action, write }) => [action.id, write?.verb]));
}

describe('a plan from the manifests of a class and a Cluster', () => {
  it('creates everything, and reports its assumptions', async () => {
    const plan = await planFiles(await readObjects(exampleFiles));
    expect(plan.result).toEqual({ kind: 'done' });
    expect(actionsOf(plan)).toHaveLength(18);
    expect(plan.notes).toEqual([
      'ClusterClass default/simulated is used in the state after its own reconciler has run',
      'the Cluster has no uid in the files: names of new objects end differently once the API server has given it one',
    ]);
  });

  it('refuses objects that an API server would refuse, and names the fields', async () => {
    const objects = (await readObjects(exampleFiles)).map(object =>
      object.kind === 'Cluster' ? setAt(object, 'spec.topology.controlPlane.replicas', '3') : object,
    );
    await expect(planFiles(objects)).rejects.toThrow(
      /^An API server would refuse the files: Cluster default\/\S+: spec\.topology\.controlPlane\.replicas: .* must be of type integer: "string"$/,
    );
  });

  it('reports a class that its own reconciler would refuse', async () => {
    const schema = { openAPIV3Schema: { type: 'string', default: 5 } };
    const objects = (await readObjects(exampleFiles)).map(object =>
      object.kind === 'ClusterClass'
        ? { ...object, spec: { ...(object['spec'] as object), variables: [{ name: 'size', required: true, schema }] } }
        : object,
    );
    const plan = await planFiles(objects);
    expect(plan.result.kind).toBe('failed');
  });

  it('reports that no file has the class', async () => {
    const objects = (await readObjects(exampleFiles)).filter(({ kind }) => kind !== 'ClusterClass');
    expect(textOf(await planFiles(objects))).toContain('failed to retrieve ClusterClass default/simulated');
  });
});

describe('a plan from printed objects', () => {
  it('is the plan of the API server that they come from', async () => {
    const world = await settledExample();
    await large(world);
    const { get, metadata, list } = world.api.kubernetes;
    const plannable = plannables.find(({ declaration }) => declaration.name === 'topology');
    const there = await plannable?.plan({
      ...{ reads: { get, metadata, list }, ref: clusterRef, now: world.api.clock.now() },
      ...{ callHooks: false, probeWorkloads: false },
    });
    const fromFiles = await planFiles(printed(world));
    expect(actionsOf(fromFiles)).toEqual(there === undefined ? [] : actionsOf(there));
    expect(fromFiles.notes).toEqual([]);
  });

  it('shows changes as a diff, and a new template as a diff to the previous one', async () => {
    const world = await settledExample();
    await large(world);
    const text = textOf(await planFiles(printed(world)));
    expect(text).toMatch(/it differs from managed-\w+ in\n +spec\.template\.spec\.size\n +- "medium"\n +\+ "large"/);
    expect(text).toContain('spec.machineTemplate.spec.infrastructureRef.name');
    expect(text).toContain('must change, and a new template replaces it');
    expect(text).not.toContain('commands');
    expect(text).toContain('Objects: 2 new, 2 changed, 1 deleted.');
    expect(text).toMatch(/apply SimulatedMachineTemplate default\/managed-\w+, which is new\n/);
  });

  it('changes no settled object, also without managed fields, and reports the limits of the plan', async () => {
    const world = await settledExample();
    await world.edit(clusterRef, cluster => {
      Object.assign(workersOf(cluster, 'machineDeployments')[0] ?? {}, { replicas: 5 });
    });
    const plan = await planFiles(withoutManagers(printed(world)));
    expect(actionsOf(plan).map(([id]) => id)).toEqual([
      expect.stringMatching(/^apply MachineDeployment managed-front-/),
    ]);
    expect(plan.notes.join()).toContain('printed without managed fields: ');
  });

  it('prints the steps of an upgrade, without the kubeconfig', async () => {
    const world = await settledExample();
    const [pool] = await world.all('MachinePool');
    const status = { nodeRefs: [{ name: 'n1' }] };
    if (pool !== undefined) {
      await world.api.others.mergePatch(toRef(pool), { status }, { subresource: 'status' });
    }
    await world.edit(clusterRef, cluster => {
      Object.assign(valueAt(cluster, 'spec.topology') ?? {}, { version: 'v1.36.0' });
    });
    const text = textOf(await planFiles(printed(world)));
    expect(text).toContain('upgrade of the control plane: v1.36.0');
    expect(text).toContain('Would call the workload cluster for the versions of its Nodes: n1');
    expect(text).toContain('Cluster is upgrading to v1.36.0');
    expect(text).toContain('The object would wait for its upgrade: Cluster is upgrading to v1.36.0');
  });
});

describe('what is not evaluated', () => {
  const exchange = (hook: string) => ({
    ...{ hook, version: 'v1alpha1', caBundle: '', body: {}, timeoutSeconds: 1 },
    url: `https://e.example/hooks.runtime.cluster.x-k8s.io/v1alpha1/${hook.toLowerCase()}/h1?timeout=1s`,
  });

  it.each([
    { hook: 'BeforeClusterUpgrade', conclusions: 'assumed not to block', ok: true },
    { hook: 'GeneratePatches', conclusions: 'assumed to change nothing', ok: true },
    { hook: 'CanUpdateMachineSet', conclusions: 'Machines are shown as replaced', ok: true },
    { hook: 'ValidateTopology', conclusions: 'assumed to find no problem', ok: true },
    { hook: 'GenerateUpgradePlan', conclusions: 'the steps of the upgrade are unknown', ok: false },
  ])('reports the hook $hook, with the option that calls it', async ({ hook, conclusions, ok }) => {
    const questions: string[] = [];
    const hooks = hooksThatAgree({ wouldAsk: question => questions.push(question) });
    hooks.memory.set('k', { status: 'Success', message: '' });
    expect(hooks.memory.get('k')).toBeUndefined();
    const limits = { signal: new AbortController().signal };
    expect((await hooks.exchange(exchange(hook), limits)).ok).toBe(ok);
    expect(questions).toEqual([expect.stringContaining(conclusions)]);
    expect(questions[0]).toMatch(
      /^the extension server at https:\/\/e\.example by hook \w+ \(h1\); .*--call-hooks calls it$/,
    );
  });

  it('reports Nodes, which are assumed to run the version of their MachinePools', async () => {
    const questions: string[] = [];
    const pool: Unstructured = {
      apiVersion: clusterRef.apiVersion,
      kind: 'MachinePool',
      metadata: {
        ...{ name: 'mp1', namespace: 'default', uid: 'u', resourceVersion: '1' },
        labels: { 'cluster.x-k8s.io/cluster-name': 'managed' },
      },
      spec: { template: { spec: { version: 'v1.35.0' } } },
      status: { nodeRefs: [{ name: 'n1' }] },
    };
    const asking = { reads: fakeReads([pool]), ref: clusterRef, wouldAsk: (text: string) => questions.push(text) };
    const target = { cluster: '', origin: '', kubeconfig: '', version: '' };
    const versions = await nodesAsReported(asking).kubeletVersions(target, ['n1'], new AbortController().signal);
    expect([...versions]).toEqual([['n1', { ok: true, value: 'v1.35.0' }]]);
    expect(questions[0]).toContain('for the versions of its Nodes: n1');
  });
});

describe('a plan of the reconcilers that clean up templates', () => {
  const labels = { 'topology.cluster.x-k8s.io/owned': '', 'cluster.x-k8s.io/cluster-name': 'c1' };

  async function whysOf(object: Unstructured, reconciler: string): Promise<readonly string[]> {
    const ref: ObjectRef = toRef(object);
    const plan = await planFiles([object], reconciler, ref);
    return plan.passes.flatMap(({ actions }) => actions.map(({ action, why }) => `${action.id}: ${why}`));
  }

  it.each([
    { reconciler: 'machinedeployment-topology', object: aMachineDeployment().labelled(labels).build() },
    { reconciler: 'machineset-topology', object: aMachineSet().labelled(labels).build() },
  ])('reports why $reconciler adds its finalizer', async ({ reconciler, object }) => {
    expect(await whysOf(object, reconciler)).toEqual([expect.stringContaining('is missing: without it')]);
  });

  it('reports the objects that are deleted with an object', async () => {
    const going = aMachineDeployment()
      .labelled(labels)
      .withFinalizers('machinedeployment.topology.cluster.x-k8s.io')
      .deleting()
      .build();
    expect(await whysOf(going, 'machinedeployment-topology')).toEqual([
      'finalizer:remove: it is being deleted, and its dependent objects are deleted',
    ]);
  });
});
