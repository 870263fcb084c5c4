// Files over an API server whose user may only read, as examples/ci/reader.yaml allows.
import { readFileSync } from 'node:fs';
import path from 'node:path';
import {
  type Answer,
  groupOf,
  type Intent,
  type ListQuery,
  type ObjectRef,
  type Parser,
  pluralOf,
  type Reads,
  refused,
  type Unstructured,
} from '@capi-serverless/apimachinery';
import { setAt } from '@capi-serverless/cluster-api/contract';
import { describe, expect, it } from 'vitest';
import { affectedBy } from '../../../../cli/plan/affected.ts';
import { readObjects } from '../../../../cli/plan/files.ts';
import { giveFiles } from '../../../../cli/plan/given-files.ts';
import type { PlannedReconcile } from '../../../../cli/plan/plan.ts';
import { plannables } from '../../../../cli/plan/registry.ts';
import { parseManifests } from '../../../../local/manifests.ts';
import { UsageError } from '../../../../local/usage-error.ts';
import { clusterRef, type ExampleTopology, exampleFiles, settledExample } from '../../../support/example-topology.ts';

interface Rule {
  readonly apiGroups: readonly string[];
  readonly resources: readonly string[];
  readonly verbs: readonly string[];
}

const reader = path.resolve(import.meta.dirname, '../../../../examples/ci/reader.yaml');
const role = parseManifests(readFileSync(reader, 'utf8'), reader).find(({ kind }) => kind === 'ClusterRole');
const rules = role?.['rules'] as readonly Rule[]; // True: the role of the example has rules.

function isAllowed(verb: string, { apiVersion, kind }: Pick<ObjectRef, 'apiVersion' | 'kind'>): boolean {
  return rules.some(
    ({ apiGroups, resources, verbs }) =>
      apiGroups.includes(groupOf(apiVersion)) &&
      (resources.includes('*') || resources.includes(pluralOf(kind))) &&
      verbs.includes(verb),
  );
}

const forbidden = (what: string) => refused({ reason: 'Forbidden', code: 403, message: `User "plan" cannot ${what}` });

/** Reads of the user. `denied` has each request that the role does not allow. */
function asReader({ api: { kubernetes } }: ExampleTopology, denied: string[]): Reads {
  const refusal = (verb: string, of: Pick<ObjectRef, 'apiVersion' | 'kind'>) => {
    if (isAllowed(verb, of)) {
      return undefined;
    }
    denied.push(`${verb} ${of.kind}`);
    return forbidden(`${verb} ${of.kind}`);
  };
  async function get(ref: ObjectRef): Promise<Answer<Unstructured>>;
  async function get<T>(ref: ObjectRef, parse: Parser<T>): Promise<Answer<T>>;
  async function get<T>(ref: ObjectRef, parse?: Parser<T>): Promise<Answer<Unstructured | T>> {
    return refusal('get', ref) ?? (parse === undefined ? kubernetes.get(ref) : kubernetes.get(ref, parse));
  }
  async function list(query: ListQuery): Promise<Answer<readonly Unstructured[]>>;
  async function list<T>(query: ListQuery, parse: Parser<T>): Promise<Answer<readonly T[]>>;
  async function list<T>(query: ListQuery, parse?: Parser<T>): Promise<Answer<readonly (Unstructured | T)[]>> {
    return refusal('list', query) ?? (parse === undefined ? kubernetes.list(query) : kubernetes.list(query, parse));
  }
  return { get, list, metadata: async ref => refusal('get', ref) ?? kubernetes.metadata(ref) };
}

const noDryRun = { create: async () => forbidden('create'), mergePatch: async () => forbidden('patch') };

async function planAll(objects: readonly Intent[], reconciler = 'topology') {
  const world = await settledExample();
  const denied: string[] = [];
  const now = world.api.clock.now();
  const before = world.api.core.resourceVersion();
  const given = await giveFiles(objects, { reads: asReader(world, denied), dryRun: noDryRun, now });
  const plannable = plannables.find(({ declaration }) => declaration.name === reconciler);
  if (plannable === undefined) {
    throw new Error(`There is no reconciler ${reconciler}`);
  }
  const { reads, isGiven } = given;
  const refs = await affectedBy(given.changed, plannable, reads);
  const plans: PlannedReconcile[] = [];
  for (const ref of refs) {
    const asking = { reads, ref, now, isGiven, callHooks: false, probeWorkloads: false, fromFiles: true } as const;
    plans.push(await plannable.plan({ ...asking, dryRun: { apply: async () => forbidden('patch') } }));
  }
  expect(world.api.core.resourceVersion()).toBe(before);
  return { given, refs, plans, denied };
}

const example = await readObjects(exampleFiles);
const cluster = example.filter(({ kind }) => kind === 'Cluster');
const rest = example.filter(({ kind }) => kind !== 'Cluster');

const [onePatch] = rest.flatMap(({ kind, spec }) =>
  kind === 'ClusterClass' ? [(spec as { readonly patches: readonly unknown[] }).patches.slice(1)] : [],
);

function changed(objects: readonly Intent[], kind: string, at: string, value: unknown): readonly Intent[] {
  return objects.map(object => (object.kind === kind ? setAt(object, at, value) : object));
}

describe('the role of the example for CI systems', () => {
  it.each([
    { reason: 'another version', objects: changed(cluster, 'Cluster', 'spec.topology.version', 'v1.36.0') },
    {
      reason: 'a new Cluster',
      objects: changed(cluster, 'Cluster', 'metadata.name', 'fresh'),
      creates: ['Secret', 'Event'],
    },
    {
      reason: 'another template',
      objects: changed(rest, 'SimulatedMachineTemplate', 'spec.template.spec.image', 'other'),
    },
    { reason: 'another class', objects: changed(rest, 'ClusterClass', 'spec.patches', onePatch) },
  ])('is enough for a plan of $reason', async ({ objects, creates = ['Event'] }) => {
    const { plans, refs, denied } = await planAll(objects);
    expect(refs).toHaveLength(1);
    // Only what the plan would create is requested in addition. It is taken as missing.
    expect(denied.filter(line => !creates.some(kind => line === `get ${kind}`))).toEqual([]);
    expect(plans.map(({ result }) => result)).toEqual([{ kind: 'done' }]);
  });

  it('is enough for a plan of MachineDeployments', async () => {
    const world = await settledExample();
    const [live] = await world.all('MachineDeployment');
    const { apiVersion, kind, metadata, spec } = live ?? {};
    const file = setAt(
      { apiVersion, kind, metadata: { name: metadata?.name, namespace: 'default' }, spec } as Intent,
      'spec.template.spec.version',
      'v1.36.0',
    );
    const { plans, denied } = await planAll([file], 'machinedeployment');
    expect(plans.map(({ result }) => result.kind)).not.toContain('failed');
    expect(denied.filter(line => line !== 'get Event')).toEqual([]);
  });
});

describe('the objects that files concern', () => {
  it.each([
    {
      reason: 'the Cluster of a changed template of its class',
      objects: changed(rest, 'SimulatedMachinePoolTemplate', 'spec.template.spec.image', 'b'),
      names: ['managed'],
    },
    {
      reason: 'none for a template of no class',
      objects: changed(
        rest.filter(({ kind }) => kind === 'SimulatedMachinePoolTemplate'),
        'SimulatedMachinePoolTemplate',
        'metadata.name',
        'other',
      ),
      names: [],
    },
    { reason: 'none for files that change nothing', objects: example, names: [] },
    {
      reason: 'none for other kinds',
      objects: [{ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a', namespace: 'default' } }],
      names: [],
    },
  ])('are $reason', async ({ objects, names }) => {
    const { refs } = await planAll(objects);
    expect(refs.map(({ name }) => name)).toEqual(names);
  });
});

describe('files over an API server', () => {
  it('keep uid and status of an object, and count its generation', async () => {
    const { given } = await planAll(changed(cluster, 'Cluster', 'spec.topology.version', 'v1.36.0'));
    expect(given.changes).toEqual([
      {
        object: 'Cluster default/managed',
        outcome: 'changed',
        changes: [{ path: 'spec.topology.version', before: 'v1.35.0', after: 'v1.36.0' }],
      },
    ]);
    const world = await settledExample();
    const { uid, generation = 0 } = world.api.read(clusterRef).metadata;
    expect(given.changed[0]?.metadata).toMatchObject({ uid, generation: generation + 1, resourceVersion: 'given-1' });
    expect(given.changed[0]?.status).toEqual(world.api.read(clusterRef).status);
    expect(given.isGiven(clusterRef)).toBe(true);
    expect(given.isGiven({ ...clusterRef, name: 'other' })).toBe(false);
  });

  it('take an object of another group as new if it cannot be read, and say so', async () => {
    const map: Intent = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 's', namespace: 'default' } };
    const { given } = await planAll([map]);
    expect(given.changes).toMatchObject([{ object: 'ConfigMap default/s', outcome: 'new' }]);
    expect(given.notes[0]).toBe(
      'ConfigMap default/s of the files is taken as new, because it cannot be read: User "plan" cannot get ConfigMap',
    );
  });

  it.each([
    { reason: 'the same object twice', objects: [...cluster, ...cluster], problem: 'is in the files twice' },
    {
      reason: 'another version',
      objects: changed(cluster, 'Cluster', 'apiVersion', 'cluster.x-k8s.io/v1beta1'),
      problem: 'is in version v1beta1',
    },
    {
      reason: 'a wrong type',
      objects: changed(cluster, 'Cluster', 'spec.topology.controlPlane.replicas', '3'),
      problem: 'would refuse Cluster default/managed of the files',
    },
  ])('are refused: $reason', async ({ objects, problem }) => {
    await expect(planAll(objects)).rejects.toThrow(UsageError);
    await expect(planAll(objects)).rejects.toThrow(problem);
  });

  it('take Secrets as missing if the user may not read them, and say so once', async () => {
    const { plans, given } = await planAll(changed(cluster, 'Cluster', 'metadata.name', 'fresh'));
    expect(plans[0]?.passes.flatMap(({ actions }) => actions.map(({ action }) => action.id))).toContain('create shim');
    const note = 'this user may not read Secrets, and they are taken as missing: User "plan" cannot get Secret';
    expect(given.notes.filter(line => line === note)).toEqual([note]);
  });

  it('are refused if an object of Cluster API cannot be read, because its plan would be wrong', async () => {
    const reads: Reads = {
      get: async () => forbidden('get'),
      metadata: async () => forbidden('get'),
      list: async () => forbidden('list'),
    };
    const giving = giveFiles(cluster, { reads, dryRun: noDryRun, now: 0 });
    await expect(giving).rejects.toThrow('Cluster default/managed of the files cannot be read on the API server');
  });

  it('are refused by a webhook, whose answer is Forbidden too', async () => {
    const world = await settledExample();
    const message = 'admission webhook "w" denied the request: no';
    const denied = async () => refused({ reason: 'Forbidden', message });
    const dryRun = { create: denied, mergePatch: denied };
    const objects = changed(cluster, 'Cluster', 'spec.topology.version', 'v1.36.0');
    const giving = giveFiles(objects, { reads: world.api.kubernetes, dryRun, now: 0 });
    await expect(giving).rejects.toThrow(`An API server would refuse Cluster default/managed of the files: ${message}`);
  });
});
