// A batch of ClusterResourceSets of several tenants. Some of them have hostile resources. The others are applied in the
// same invocation. Each hostile one gets a condition that names the problem, with bounded requests and writes.
import { type Unstructured, valueAt, WorkMeter } from '@capi-serverless/apimachinery';
import { workOfPass } from '@capi-serverless/reconciler';
import { describe, expect, it } from 'vitest';
import { readResources } from '../../../functions/clusterresourceset/observe/read-resources.ts';
import { mostObjects } from '../../../functions/clusterresourceset/phases/manifest.ts';
import { clusterResourceSetReconciler } from '../../../functions/clusterresourceset/reconciler.ts';
import { readResourceSet } from '../../../shared/api/cluster-resource-set/reader.ts';
import { reconcileBatch } from '../../../shared/kernel/batch.ts';
import { createMemoryWorkload } from '../../../shared/kubernetes/memory/memory-workload.ts';
import { toBody } from '../../../shared/workqueue/message.ts';
import { aBatchContext } from '../../support/batch-context.ts';
import { fakeReads } from '../../support/fake-reads.ts';
import { countingIds, createMemoryApi } from '../../support/memory-api.ts';
import { conditionIn, conditionText } from '../../support/result-text.ts';
import {
  aSet,
  configMap,
  manifest,
  matchingCluster,
  SetObject,
  setRef,
} from '../functions/clusterresourceset/set-objects.ts';

const mebibyte = 1024 * 1024;
const manifestOf = (apiVersion: string, kind: string, name: string, more: object = {}): string =>
  JSON.stringify({ apiVersion, kind, metadata: { name, namespace: 'w', ...more } });
const owner = (name: string) => ({ apiVersion: 'v1', kind: 'ConfigMap', name, uid: `uid-of-${name}` });
const documents = (count: number, of: (at: number) => string): string =>
  Array.from({ length: count }, (_, at) => of(at)).join('\n---\n');

interface HostileSet {
  readonly reason: string;
  /** The data of ConfigMap cm1. */
  readonly data?: Readonly<Record<string, string>>;
  /** The resource that the set names instead of cm1. */
  readonly secret?: string;
  /** The state and a part of the message of the deprecated condition. */
  readonly says: string;
  /** The most requests to its workload cluster. */
  readonly requests: number;
}

const attacks: readonly HostileSet[] = [
  {
    reason: 'a mebibyte of short lines',
    data: { a: '- a\n'.repeat(mebibyte / 4 - 1) },
    says: 'ApplyFailed failed converting data to unstructured objects: limit exceeded: the templates, rules',
    requests: 0,
  },
  {
    reason: 'a mebibyte of brackets',
    data: { a: '['.repeat(mebibyte - 1) },
    says: 'ApplyFailed failed converting data to unstructured objects: key "a": the value is not a JSON list of objects',
    requests: 0,
  },
  {
    reason: 'ten thousand documents',
    data: { a: documents(10_000, at => `{apiVersion: v1, kind: ConfigMap, metadata: {name: m${at}, namespace: w}}`) },
    says: 'ApplyFailed limit exceeded: the data describe more than 1000 objects',
    requests: 0,
  },
  {
    reason: 'a thousand kinds without definition',
    data: { a: documents(mostObjects, at => manifestOf(`g${at}.example.test/v1`, 'Unknown', `m${at}`)) },
    says: 'ApplyFailed [creating object g0.example.test/v1, Kind=Unknown w/m0: no matches for kind "Unknown"',
    requests: 100,
  },
  {
    reason: 'objects that own each other, and a kind without definition',
    data: {
      a: documents(2, at => manifestOf('v1', 'ConfigMap', `m${at}`, { ownerReferences: [owner(`m${1 - at}`)] })),
      b: manifestOf('example.test/v1', 'Unknown', 'u'),
    },
    says: 'ApplyFailed creating object example.test/v1, Kind=Unknown w/u: no matches for kind "Unknown" in version "example.test/v1"',
    requests: 4,
  },
  {
    reason: 'the Secret of another namespace',
    secret: 'victim',
    says: 'RetrievingResourceFailed secrets "victim" not found',
    requests: 0,
  },
  {
    reason: 'a path to the Secret of another namespace',
    secret: '../../victims/secrets/victim',
    says: 'RetrievingResourceFailed get secrets h6/../../victims/secrets/victim: name "../../victims/secrets/victim" of a Secret is not valid',
    requests: 0,
  },
];

const harmless = ['t0', 't1'];
const hostile = attacks.map((_, at) => `h${at}`);
const victim = new SetObject({ apiVersion: 'v1', kind: 'Secret', name: 'victim' })
  .in('victims')
  .holding({ type: 'addons.cluster.x-k8s.io/resource-set', data: { a: Buffer.from('CANARY').toString('base64') } });

/** The set of a tenant owns its ConfigMap, and is owned by it. */
function tenantObjects(namespace: string, attack: HostileSet | undefined) {
  const secret = attack?.secret;
  const resource = secret === undefined ? { kind: 'ConfigMap', name: 'cm1' } : { kind: 'Secret', name: secret };
  const data = attack === undefined ? { a: manifest('w1') } : attack.data;
  const kubeconfig = new SetObject({ apiVersion: 'v1', kind: 'Secret', name: 'c1-kubeconfig' });
  return [
    new SetObject({ apiVersion: 'v1', kind: 'ConfigMap', name: 'cm1' })
      .in(namespace)
      .ownedBy({ ...setRef(), metadata: { name: 'r1', uid: 'uid-of-r1' } } as never) // true: only these fields are read
      .holding(data === undefined ? {} : { data }),
    matchingCluster().in(namespace),
    kubeconfig.in(namespace).holding({ data: { value: Buffer.from('kubeconfig').toString('base64') } }),
    aSet()
      .in(namespace)
      .ownedBy(configMap({}))
      .withSpec({ resources: [resource] }),
  ];
}

function messageOf(namespace: string) {
  const key = { managementCluster: 'mc', group: 'addons.cluster.x-k8s.io', kind: 'ClusterResourceSet', namespace };
  const request = { v: 1, reconciler: 'clusterresourceset', cause: 'event', attempt: 0, trace: 't' } as const;
  return { messageId: namespace, body: toBody({ ...request, key: { ...key, name: 'r1' } }) };
}

describe('a batch with hostile ClusterResourceSets', async () => {
  const api = createMemoryApi();
  const workload = createMemoryWorkload({ clock: api.clock, ids: countingIds(1000) });
  const tenants = [...harmless, ...hostile];
  api.given(victim);
  for (const [at, namespace] of tenants.entries()) {
    api.given(...tenantObjects(namespace, attacks[at - harmless.length]));
    await clusterOf(namespace).kubernetes.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'w' } });
  }

  function clusterOf(namespace: string) {
    const cluster = api.read({ apiVersion: 'cluster.x-k8s.io/v1beta2', kind: 'Cluster', namespace, name: 'c1' });
    return workload.cluster(cluster.metadata.uid);
  }

  const setOf = (namespace: string): Unstructured => api.read({ ...setRef(), namespace });
  const appliedOf = (namespace: string): string | undefined =>
    conditionText(conditionIn(valueAt(setOf(namespace).status, 'deprecated.v1beta1.conditions'), 'ResourcesApplied'));
  const context = aBatchContext(api);
  const refused = await reconcileBatch(
    {
      ...context,
      reconciler: clusterResourceSetReconciler,
      ports: { workloadApi: workload.api },
      workload: workload.writers,
    },
    tenants.map(messageOf),
  );

  it('acknowledges all messages, and applies the sets of the others', async () => {
    expect(refused).toEqual([]);
    expect(harmless.map(appliedOf)).toEqual(['True', 'True']);
    for (const namespace of harmless) {
      const ref = { apiVersion: 'v1', kind: 'ConfigMap', namespace: 'w', name: 'w1' };
      expect((await clusterOf(namespace).kubernetes.get(ref)).ok).toBe(true);
    }
  });

  it.each(attacks.map((attack, at) => ({ ...attack, at })))('reports $reason', ({ says, requests, at }) => {
    const namespace = `h${at}`;
    expect(conditionText(conditionIn(valueAt(setOf(namespace).status, 'conditions'), 'ResourcesApplied'))).toMatch(
      /^False\/(NotApplied|InternalError) /,
    );
    expect(appliedOf(namespace)).toContain(`False/Warning/${says}`);
    expect(clusterOf(namespace).sent).toBeLessThanOrEqual(requests);
    const ofSet = api.calls.writes.filter(line => line.includes(` ${namespace}/`));
    expect(ofSet.length).toBeLessThanOrEqual(6);
  });

  it('reads nothing of another namespace, and quotes nothing of it', () => {
    expect(api.calls.all.filter(({ of }) => of.namespace === 'victims')).toEqual([]);
    expect(JSON.stringify([...context.log.lines, ...tenants.map(setOf)])).not.toContain('CANARY');
  });

  it('applies objects that own each other', async () => {
    const { kubernetes } = clusterOf(`h${attacks.findIndex(({ reason }) => reason.includes('own each other'))}`);
    for (const name of ['m0', 'm1']) {
      expect((await kubernetes.get({ apiVersion: 'v1', kind: 'ConfigMap', namespace: 'w', name })).ok).toBe(true);
    }
  });
});

it('resources after the one that used up the work of a pass are refused, and those before it are parsed', async () => {
  const names = ['cm1', 'cm2', 'cm3', 'cm4', 'cm5'];
  // Tokens beyond the first 16,384 cost 512 units each, so that a resource takes two fifths of the meter.
  const data = { a: `{kind: A}\n---\n${'# c\n'.repeat(16_000)}` };
  const resources = names.map(name => ({ kind: 'ConfigMap', name }));
  const set = readResourceSet(aSet().withSpec({ resources }).build());
  const meter = new WorkMeter({ ...workOfPass, units: workOfPass.units / 10 });
  const reads = fakeReads(names.map(name => configMap(data, name)));
  const read = await readResources(reads, { set, bindings: [undefined], meter });
  const contents = read.map(resource => (resource.state === 'found' ? resource.content : undefined));
  expect(contents.map(content => content?.ok)).toEqual([true, true, false, false, false]);
  for (const content of contents.slice(2)) {
    expect(content?.ok === false && content.error).toContain(`limit exceeded: ${workOfPass.what} take more than`);
  }
});
