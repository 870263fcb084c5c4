import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { type Intent, valueAt } from '@capi-serverless/apimachinery';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readObjects, readStoredObjects, seed } from '../../../../cli/plan/files.ts';
import { UsageError } from '../../../../local/usage-error.ts';
import { aCluster, aMachine } from '../../../support/builders.ts';
import { widgetCrd } from '../../../support/kernel.ts';

const now = Date.parse('2026-01-01T00:00:00Z');
const foreign: Intent = {
  apiVersion: 'infrastructure.cluster.x-k8s.io/v1beta3',
  kind: 'FooCluster',
  metadata: { name: 'i1', namespace: 'ns' },
};
const foreignDefinition: Intent = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: {
    name: 'fooclusters.infrastructure.cluster.x-k8s.io',
    labels: { 'cluster.x-k8s.io/v1beta1': 'v1alpha1_v1beta3', other: 'label' },
  },
  spec: {
    group: 'infrastructure.cluster.x-k8s.io',
    scope: 'Namespaced',
    names: { kind: 'FooCluster', plural: 'fooclusters' },
    versions: [{ name: 'v1alpha1' }, { name: 'v1beta3', schema: 'not read' }],
  },
};

describe('an API made of files', () => {
  it('serves objects as they were printed: uid, version, generation, status and begun deletion', async () => {
    const cluster = aCluster()
      .withUid('u1')
      .atResourceVersion('4711')
      .atGeneration(7)
      .withStatus({ phase: 'Deleting' })
      .deleting()
      .build();
    const { kubernetes, assumptions } = seed([cluster], now);
    expect(await kubernetes.get({ ...cluster, ...cluster.metadata })).toEqual({ ok: true, value: cluster });
    expect(assumptions).toEqual([]);
  });

  it('gives a hand-written object what an API server sets', async () => {
    const { kubernetes } = seed([aCluster().intent(), aMachine().intent()], now);
    const [cluster, machine] = await Promise.all(
      ['Cluster', 'Machine'].map(kind =>
        kubernetes.metadata({
          apiVersion: 'cluster.x-k8s.io/v1beta2',
          kind,
          namespace: 'ns',
          name: kind === 'Cluster' ? 'c1' : 'm1',
        }),
      ),
    );
    expect(cluster).toMatchObject({ ok: true, value: { generation: 1, creationTimestamp: '2026-01-01T00:00:00Z' } });
    const uids = [cluster, machine].map(answer => (answer?.ok === true ? answer.value.uid : ''));
    expect(new Set([...uids, '']).size).toBe(3);
  });

  it('assumes the newest contract for a kind without definition, and reports that', async () => {
    const { kubernetes, assumptions } = seed([foreign], now);
    expect(assumptions).toEqual([
      'CustomResourceDefinition fooclusters.infrastructure.cluster.x-k8s.io is in none of the files: taken for contract v1beta2 in version v1beta3',
    ]);
    expect((await kubernetes.get({ ...foreign, name: 'i1', namespace: 'ns' })).ok).toBe(true);
  });

  it('takes contract and versions from an existing definition', async () => {
    const { kubernetes, assumptions } = seed([foreign, foreignDefinition], now);
    expect(assumptions).toEqual([]);
    const name = foreignDefinition.metadata.name;
    const { apiVersion, kind } = foreignDefinition;
    expect(await kubernetes.metadata({ apiVersion, kind, name })).toMatchObject({
      ok: true,
      value: { labels: { 'cluster.x-k8s.io/v1beta1': 'v1alpha1_v1beta3' } },
    });
    const older = { ...foreign, apiVersion: 'infrastructure.cluster.x-k8s.io/v1alpha1', name: 'i1', namespace: 'ns' };
    expect((await kubernetes.get(older)).ok).toBe(true);
  });

  it('uses the schema of a definition if API servers accept it', async () => {
    const { apiVersion, kind, metadata, spec } = widgetCrd;
    const printed = { ...{ apiVersion, kind, spec }, metadata: { ...metadata, uid: 'u', resourceVersion: '7' } };
    const { kubernetes } = seed([printed], now);
    const stored = await kubernetes.get({ apiVersion, kind, name: metadata.name });
    expect(stored.ok && valueAt(stored.value.spec, 'versions')).toEqual(valueAt(spec, 'versions'));
  });

  it('also defines the kinds that a topology creates from templates', async () => {
    const template: Intent = { ...foreign, kind: 'FooClusterTemplate' };
    const { kubernetes } = seed([template], now);
    const answer = await kubernetes.get({ ...foreign, name: 'i1', namespace: 'ns' });
    expect(answer).toMatchObject({ ok: false, missing: true });
  });

  it('replaces built-in objects with those of a file', async () => {
    const namespace = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'kube-system', uid: 'mine' } };
    const { kubernetes } = seed([namespace], now);
    expect(await kubernetes.metadata({ apiVersion: 'v1', kind: 'Namespace', name: 'kube-system' })).toMatchObject({
      ok: true,
      value: { uid: 'mine' },
    });
  });

  it('refuses the same object twice', () => {
    expect(() => seed([aCluster().build(), aCluster().build()], now)).toThrow(
      new UsageError('Cluster ns/c1 is in the files twice'),
    );
  });

  it('refuses a version of our kinds that is never read, and names the command that prints the right one', () => {
    const older = { ...aCluster().build(), apiVersion: 'cluster.x-k8s.io/v1beta1' };
    expect(() => seed([older], now)).toThrow(
      'Cluster ns/c1 is in version v1beta1; print it with kubectl get clusters.v1beta2.cluster.x-k8s.io -o yaml',
    );
  });
});

describe('reading the files', () => {
  let folder: string;
  beforeAll(() => {
    folder = mkdtempSync(path.join(tmpdir(), 'capi-plan-'));
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  it('reads all objects of all files, lists included', async () => {
    const [one, two] = ['one.yaml', 'two.json'].map(name => path.join(folder, name));
    if (one === undefined || two === undefined) {
      throw new Error('there are two names');
    }
    writeFileSync(one, 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n');
    writeFileSync(two, JSON.stringify({ apiVersion: 'v1', kind: 'List', items: [aCluster().build()] }));
    const objects = await readObjects([one, two]);
    expect(objects.map(({ kind, metadata }) => [kind, metadata.namespace, metadata.name])).toEqual([
      ['ConfigMap', 'default', 'a'],
      ['Cluster', 'ns', 'c1'],
    ]);
  });

  it('converts objects in v1beta1, and refuses those that cannot be converted', async () => {
    const file = path.join(folder, 'older.yaml');
    const head = 'apiVersion: cluster.x-k8s.io/v1beta1\nkind: Cluster\nmetadata: {name: c}\n';
    writeFileSync(file, `${head}spec: {topology: {class: q, version: v1.34.1}}\n`);
    const { objects, notes } = await readStoredObjects([file], 'ns');
    expect(objects[0]).toMatchObject({
      apiVersion: 'cluster.x-k8s.io/v1beta2',
      spec: { topology: { classRef: { name: 'q' } } },
    });
    expect(notes).toEqual([expect.stringContaining('Cluster ns/c: cluster.x-k8s.io/v1beta1 Cluster is deprecated')]);
    writeFileSync(file, `${head}spec: {paused: 1}\n`);
    const refused = readStoredObjects([file], 'ns');
    await expect(refused).rejects.toThrow(UsageError);
    await expect(refused).rejects.toThrow('spec.paused: must be a boolean');
  });

  it.each([
    { reason: 'is not there', name: 'missing.yaml', text: undefined, problem: 'cannot be read' },
    { reason: 'holds no object', name: 'empty.yaml', text: '', problem: 'holds no object' },
  ])('refuses a file that $reason', async ({ name, text, problem }) => {
    const file = path.join(folder, name);
    if (text !== undefined) {
      writeFileSync(file, text);
    }
    const reading = readObjects([file]);
    await expect(reading).rejects.toThrow(UsageError);
    await expect(reading).rejects.toThrow(problem);
  });
});
