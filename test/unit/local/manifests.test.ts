import type { Intent } from '@capi-serverless/apimachinery';
import { describe, expect, test } from 'vitest';
import {
  applyManifests,
  inStoredVersion,
  ManifestError,
  parseManifests,
  toResultLines,
} from '../../../local/manifests.ts';
import { createMemoryApi } from '../../support/memory-api.ts';

const options = { fieldManager: 'tester' };

function aCluster(name: string, parts: Readonly<Record<string, unknown>> = {}): Intent {
  const infrastructureRef = { apiGroup: 'infrastructure.cluster.x-k8s.io', kind: 'SimulatedCluster', name };
  return {
    apiVersion: 'cluster.x-k8s.io/v1beta2',
    kind: 'Cluster',
    metadata: { name, namespace: 'default' },
    spec: { infrastructureRef },
    ...parts,
  };
}

function refOf(name: string) {
  return { apiVersion: 'cluster.x-k8s.io/v1beta2', kind: 'Cluster', namespace: 'default', name };
}

describe('reading manifests', () => {
  test('takes every document, in order, with the namespace default where none is given', () => {
    const objects = parseManifests(
      [
        '# a comment alone is not an object',
        '---',
        'apiVersion: cluster.x-k8s.io/v1beta2',
        'kind: Cluster',
        'metadata: {name: one}',
        'spec: {paused: true}',
        '---',
        'apiVersion: cluster.x-k8s.io/v1beta2',
        'kind: Cluster',
        'metadata:',
        '  name: two',
        '  namespace: elsewhere',
        '  labels:',
        '...',
      ].join('\n'),
      'clusters.yaml',
    );
    expect(objects).toEqual([
      {
        apiVersion: 'cluster.x-k8s.io/v1beta2',
        kind: 'Cluster',
        metadata: { name: 'one', namespace: 'default' },
        spec: { paused: true },
      },
      { apiVersion: 'cluster.x-k8s.io/v1beta2', kind: 'Cluster', metadata: { name: 'two', namespace: 'elsewhere' } },
    ]);
  });

  test('reads JSON, and the items of lists', () => {
    const list = { apiVersion: 'v1', kind: 'List', items: [aCluster('one'), aCluster('two')] };
    expect(parseManifests(JSON.stringify(list), 'list.json')).toEqual([aCluster('one'), aCluster('two')]);
  });

  test('gives no namespace to kinds that live outside namespaces', () => {
    const text = 'apiVersion: v1\nkind: Namespace\nmetadata: {name: team-a, namespace: default}';
    expect(parseManifests(text, 'namespace.yaml')).toEqual([
      { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'team-a' } },
    ]);
  });

  test.each([
    { reason: 'nothing in it', text: '', error: 'm.yaml: holds no object; write apiVersion, kind, metadata and spec' },
    { reason: 'only comments', text: '# a\n---\n# b\n', error: 'm.yaml: holds no object' },
    { reason: 'an empty list', text: 'kind: List\nitems: []', error: 'm.yaml: holds no object' },
    {
      reason: 'broken YAML in the second document',
      text: 'apiVersion: v1\nkind: A\nmetadata: {name: a}\n---\na: b: c',
      error: 'm.yaml: document 2, line 5: Nested mappings are not allowed in compact mappings; check indentation',
    },
    { reason: 'a key twice', text: 'kind: A\nkind: B', error: 'document 1, line 2: Map keys must be unique' },
    { reason: 'just text', text: 'Cluster', error: 'document 1, line 1: is not an object; write apiVersion' },
    { reason: 'a list of documents', text: '- kind: A', error: 'document 1, line 1: is not an object' },
    {
      reason: 'no apiVersion',
      text: 'kind: A\nmetadata: {name: a}',
      error: 'line 1: apiVersion is missing; write the group',
    },
    {
      reason: 'no kind',
      text: 'apiVersion: v1\nmetadata: {name: a}',
      error: 'line 1: kind is missing; write the kind',
    },
    {
      reason: 'no metadata',
      text: 'apiVersion: v1\nkind: A',
      error: 'metadata is missing; write metadata with a name',
    },
    {
      reason: 'no name',
      text: 'apiVersion: v1\nkind: A\nmetadata:\n  namespace: x',
      error: 'line 3: metadata.name is missing; give the object a name',
    },
    {
      reason: 'an empty name',
      text: 'apiVersion: v1\nkind: A\nmetadata: {name: ""}',
      error: 'metadata.name is missing',
    },
    {
      reason: 'a name that YAML reads as a number',
      text: 'apiVersion: v1\nkind: A\nmetadata:\n  name: 1',
      error: 'line 4: metadata.name is not valid; write text; numbers and booleans need quotes',
    },
    {
      reason: 'a label that YAML reads as a number',
      text: 'apiVersion: v1\nkind: A\nmetadata:\n  name: a\n  labels:\n    minor: 1.35',
      error: 'line 6: metadata.labels.minor is not valid; write text; numbers and booleans need quotes',
    },
    {
      reason: 'metadata that is a list',
      text: 'apiVersion: v1\nkind: A\nmetadata: [a]',
      error: 'line 3: metadata is not valid; write metadata with a name in it',
    },
    {
      reason: 'an incomplete item of a list',
      text: 'kind: List\nitems:\n- apiVersion: v1\n  kind: A\n  metadata: {name: a}\n- apiVersion: v1\n  kind: B',
      error: 'document 1, line 6: metadata is missing',
    },
    {
      reason: 'a reference to nothing',
      text: 'kind: *missing',
      error: "document 1, line 1: unknown anchor 'missing' referenced; write the values out",
    },
    {
      reason: 'a number that would be rounded, without its digits',
      text: 'kind: A\nstringData:\n  pin: 90071992547409931',
      error: 'line 1: cannot hold a whole number of more than 53 bits exactly; put it in quotes if it is a text',
    },
    {
      reason: 'a line separator of Unicode',
      text: 'kind: "A\u2028B"',
      error: /not allowed; write \\u2028 or \\u2029 in double quotes$/,
    },
  ])('refuses $reason', ({ text, error }) => {
    expect(() => parseManifests(text, 'm.yaml')).toThrow(ManifestError);
    expect(() => parseManifests(text, 'm.yaml')).toThrow(error);
  });

  test('shows nothing of the content of a file that is not YAML', () => {
    const text = 'kind: Secret\nstringData:\n  password: "hunter2\n  other: x';
    expect(() => parseManifests(text, 'secret.yaml')).toThrow(
      /^secret.yaml: document 1, line 4: Missing closing "quote; check indentation and quotes there$/,
    );
  });
});

describe('objects of Cluster API in v1beta1', () => {
  const machine = (spec: object): Intent => ({
    apiVersion: 'cluster.x-k8s.io/v1beta1',
    kind: 'Machine',
    metadata: { name: 'm', namespace: 'default' },
    spec,
  });

  test('are converted, with a note', () => {
    const { objects, notes } = inStoredVersion([machine({ nodeDrainTimeout: '1m30s' }), aCluster('one')]);
    expect(objects).toEqual([
      {
        apiVersion: 'cluster.x-k8s.io/v1beta2',
        kind: 'Machine',
        metadata: { name: 'm', namespace: 'default' },
        spec: { deletion: { nodeDrainTimeoutSeconds: 90 } },
      },
      aCluster('one'),
    ]);
    expect(notes).toEqual([
      'Machine default/m: cluster.x-k8s.io/v1beta1 Machine is deprecated; use cluster.x-k8s.io/v1beta2 Machine',
    ]);
  });

  test('are refused with a wrong type', () => {
    expect(() => inStoredVersion([machine({ nodeDrainTimeout: 5 })])).toThrow(
      new ManifestError('Machine default/m in version v1beta1: spec.nodeDrainTimeout: must be a string'),
    );
  });
});

describe('applying manifests', () => {
  test('creates missing objects without the status', async () => {
    const api = createMemoryApi();
    const [result] = await applyManifests(
      api.kubernetes,
      [aCluster('c1', { status: { phase: 'Provisioned' } })],
      options,
    );
    expect(result).toMatchObject({ outcome: 'created', ref: refOf('c1'), object: { metadata: { name: 'c1' } } });
    expect(api.read(refOf('c1')).status).toBeUndefined();
    expect(api.calls.all.map(call => call.options)).toEqual([options]);
  });

  test('merges into existing objects and does not change other fields or the status', async () => {
    const api = createMemoryApi();
    expect(await applyManifests(api.kubernetes, [aCluster('c1')], options)).toMatchObject([{ outcome: 'created' }]);
    await api.others.mergePatch(refOf('c1'), { metadata: { labels: { mine: 'yes' } }, spec: { paused: true } });
    await api.others.mergePatch(refOf('c1'), { status: { phase: 'Pending' } }, { subresource: 'status' });
    const again = aCluster('c1', {
      metadata: { name: 'c1', namespace: 'default', labels: { team: 'a' } },
      status: { phase: 'Provisioned' },
    });
    const [result] = await applyManifests(api.kubernetes, [again], options);
    expect(result).toMatchObject({ outcome: 'patched', ref: refOf('c1') });
    expect(api.read(refOf('c1'))).toMatchObject({
      metadata: { labels: { mine: 'yes', team: 'a' } },
      spec: { paused: true, infrastructureRef: { name: 'c1' } },
      status: { phase: 'Pending' },
    });
  });

  test('takes a file that was read from a server', async () => {
    const api = createMemoryApi();
    expect(await applyManifests(api.kubernetes, [aCluster('c1')], options)).toMatchObject([{ outcome: 'created' }]);
    const stored = api.read(refOf('c1'));
    await api.others.mergePatch(refOf('c1'), { metadata: { labels: { later: 'yes' } } });
    const copy = { ...stored, metadata: { ...stored.metadata, name: 'c2' } };
    const list = JSON.stringify({ apiVersion: 'v1', kind: 'List', items: [stored, copy] });
    const outcomes = await applyManifests(api.kubernetes, parseManifests(list, 'backup.json'), options);
    expect(outcomes.map(({ outcome }) => outcome)).toEqual(['patched', 'created']);
    expect(api.read(refOf('c2')).metadata.uid).not.toBe(stored.metadata.uid);
  });

  test('sends namespaces first, then objects that Clusters reference, then Clusters, but reports in the given order', async () => {
    const api = createMemoryApi();
    const namespace: Intent = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'team-a' } };
    const infrastructure: Intent = {
      apiVersion: 'infrastructure.cluster.x-k8s.io/v1beta2',
      kind: 'SimulatedCluster',
      metadata: { name: 'c1', namespace: 'team-a' },
    };
    const cluster = aCluster('c1', { metadata: { name: 'c1', namespace: 'team-a' } });
    const results = await applyManifests(api.kubernetes, [cluster, infrastructure, namespace], options);
    expect(api.calls.all.map(({ kind }) => kind)).toEqual(['Namespace', 'SimulatedCluster', 'Cluster']);
    expect(results.flatMap(toResultLines)).toEqual([
      'Cluster team-a/c1 created',
      'SimulatedCluster team-a/c1 created',
      'Namespace team-a created',
    ]);
  });

  test('continues after a refused object and reports each refused field', async () => {
    const api = createMemoryApi();
    const failure = {
      reason: 'Invalid',
      code: 422,
      message: 'Cluster "bad" is invalid',
      causes: ['spec.paused: must be boolean', 'spec.topology.version: Required value'],
    } as const;
    api.calls.fail({ at: call => 'name' in call.of && call.of.name === 'bad', failure });
    const results = await applyManifests(api.kubernetes, [aCluster('bad'), aCluster('good')], options);
    expect(results.flatMap(toResultLines)).toEqual([
      'Cluster default/bad refused:',
      '  spec.paused: must be boolean',
      '  spec.topology.version: Required value',
      'Cluster default/good created',
    ]);
  });

  test('reports a refused patch, and a missing namespace with the message of the server', async () => {
    const api = createMemoryApi();
    expect(await applyManifests(api.kubernetes, [aCluster('c1')], options)).toMatchObject([{ outcome: 'created' }]);
    api.calls.fail({ at: call => call.verb === 'patch', failure: { reason: 'Forbidden', message: 'not allowed' } });
    const lost = aCluster('lost', { metadata: { name: 'lost', namespace: 'nowhere' } });
    const results = await applyManifests(api.kubernetes, [aCluster('c1'), lost], options);
    expect(results.flatMap(toResultLines)).toEqual([
      'Cluster default/c1 refused: not allowed',
      expect.stringMatching(/^Cluster nowhere\/lost refused: .*namespaces "nowhere" not found$/),
    ]);
  });

  test('applies more objects than it sends at a time', async () => {
    const api = createMemoryApi();
    const clusters = Array.from({ length: 40 }, (_, at) => aCluster(`c${at}`));
    const results = await applyManifests(api.kubernetes, clusters, options);
    expect(results.map(({ outcome, ref }) => `${outcome} ${ref.name}`)).toEqual(
      clusters.map(({ metadata }) => `created ${metadata.name}`),
    );
  });
});
