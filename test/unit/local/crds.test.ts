import type { FailureReason, Intent, ObjectRef } from '@capi-serverless/apimachinery';
import { createApiCore } from '@capi-serverless/apiserver/core';
import { describe, expect, test } from 'vitest';
import { checkCrds, installCrds, toProblemLine } from '../../../local/crds.ts';
import { simulatedClusterCrd, simulatedCrds } from '../../../local/provider/crds/index.ts';
import { clusterCrd } from '../../../shared/api/cluster/crd.ts';
import type { CrdVersion, CustomResourceDefinition } from '../../../shared/api/schema/definition.ts';
import { createMemoryKubernetes } from '../../../shared/kubernetes/memory/memory-kubernetes.ts';
import { createFaultyKubernetes } from '../../support/faulty-kubernetes.ts';
import { countingIds } from '../../support/memory-api.ts';
import { SteppedClock } from '../../support/stepped-clock.ts';

const both = [clusterCrd, simulatedClusterCrd];
const names = both.map(crd => crd.metadata.name);

/** An API server without definitions. */
function anApi() {
  const clock = new SteppedClock();
  const inner = createMemoryKubernetes(createApiCore({ now: () => clock.now(), ids: countingIds() }));
  return {
    clock,
    others: inner,
    given: async (definition: Intent) => expect(await inner.create(definition)).toMatchObject({ ok: true }),
    ...createFaultyKubernetes(inner),
  };
}

function refOf(crd: CustomResourceDefinition): ObjectRef {
  return { apiVersion: crd.apiVersion, kind: crd.kind, name: crd.metadata.name };
}

function withVersions(crd: CustomResourceDefinition, change: (ours: CrdVersion) => readonly object[]): Intent {
  return { ...crd, spec: { ...crd.spec, versions: crd.spec.versions.flatMap(change) } };
}

function withLabels(crd: CustomResourceDefinition, labels: Readonly<Record<string, string>>): CustomResourceDefinition {
  return { ...crd, metadata: { ...crd.metadata, labels } };
}

function establishedIs(status: 'True' | 'False') {
  return { status: { conditions: [{ type: 'Established', status, message: 'said by the test' }] } };
}

describe('installing definitions', () => {
  test('creates the missing ones and lists them', async () => {
    const api = anApi();
    await api.given(simulatedClusterCrd);
    const report = await installCrds(api.kubernetes, both, { clock: api.clock });
    expect(report).toEqual({ created: [clusterCrd.metadata.name], problems: [] });
    expect((await api.others.get(refOf(clusterCrd))).ok).toBe(true);
  });

  test('writes nothing when all are there', async () => {
    const api = anApi();
    expect((await installCrds(api.kubernetes, both, { clock: api.clock })).problems).toEqual([]);
    api.reset();
    expect(await installCrds(api.kubernetes, both, { clock: api.clock })).toEqual({ created: [], problems: [] });
    expect(api.writes).toEqual([]);
  });

  test.each([
    {
      reason: 'an older release serves only versions before ours',
      existing: withVersions(clusterCrd, ours => [{ ...ours, name: 'v1beta1' }]),
      problem: 'does not serve version v1beta2',
    },
    {
      reason: 'the version is there but switched off',
      existing: withVersions(clusterCrd, ours => [
        { ...ours, served: false },
        { ...ours, name: 'v1beta1', storage: false },
      ]),
      problem: 'does not serve version v1beta2',
    },
    {
      reason: 'status could not be written separately',
      existing: withVersions(clusterCrd, ({ subresources: _, ...rest }) => [rest]),
      problem: 'has no status subresource in version v1beta2',
    },
    {
      reason: 'without the label the version for the contract is not found',
      crd: simulatedClusterCrd,
      existing: withLabels(simulatedClusterCrd, {}),
      problem: 'lacks version v1beta2 in label cluster.x-k8s.io/v1beta2',
    },
    {
      reason: 'the label names another version',
      crd: simulatedClusterCrd,
      existing: withLabels(simulatedClusterCrd, { 'cluster.x-k8s.io/v1beta2': 'v1beta22_v1' }),
      problem: 'lacks version v1beta2 in label cluster.x-k8s.io/v1beta2',
    },
  ])('never changes an existing definition that $problem: $reason', async ({ crd = clusterCrd, existing, problem }) => {
    const api = anApi();
    await api.given(existing);
    const before = await api.others.get(refOf(crd));
    const report = await installCrds(api.kubernetes, [crd], { clock: api.clock });
    expect(report).toEqual({
      created: [],
      problems: [{ object: crd.metadata.name, problem, remedy: expect.stringContaining('upgrade') }],
    });
    expect(api.writes).toEqual([]);
    expect(await api.others.get(refOf(crd))).toEqual(before);
  });

  test.each([
    { reason: 'all of them, in any order and among others', there: 'v1_v3_v2', problems: [] },
    { reason: 'one of them', there: 'v1', problems: ['lacks version v2 in label cluster.x-k8s.io/v1beta2'] },
  ])('requires each version that a label joins: there is $reason', async ({ there, problems }) => {
    const api = anApi();
    const label = (versions: string) => withLabels(clusterCrd, { 'cluster.x-k8s.io/v1beta2': versions });
    await api.given(label(there));
    const report = await installCrds(api.kubernetes, [label('v1_v2')], { clock: api.clock });
    expect(report.problems.map(({ problem }) => problem)).toEqual(problems);
  });

  test('accepts the core definitions of a release, which carry no contract label', async () => {
    const api = anApi();
    await api.given(withLabels(clusterCrd, { 'cluster.x-k8s.io/provider': 'cluster-api' }));
    expect(await installCrds(api.kubernetes, [clusterCrd], { clock: api.clock })).toEqual({
      created: [],
      problems: [],
    });
  });

  test('accepts the definition of an installed release, which serves more than ours', async () => {
    const api = anApi();
    const labels = { 'cluster.x-k8s.io/v1beta1': 'v1beta1', 'cluster.x-k8s.io/v1beta2': 'v1beta2_v1beta3' };
    const { spec } = withVersions(simulatedClusterCrd, ours => [{ ...ours, name: 'v1beta1', storage: false }, ours]);
    await api.given({ ...withLabels(simulatedClusterCrd, labels), spec });
    expect(await installCrds(api.kubernetes, [simulatedClusterCrd], { clock: api.clock })).toEqual({
      created: [],
      problems: [],
    });
  });

  test('requires no status subresource of a template, which has no status', async () => {
    const api = anApi();
    expect(await installCrds(api.kubernetes, simulatedCrds, { clock: api.clock })).toMatchObject({ problems: [] });
    expect(await checkCrds(api.kubernetes, simulatedCrds)).toEqual({ created: [], problems: [] });
  });

  test.each([
    { reason: 'it names no subresources at all', version: {} },
    { reason: 'it names none', version: { subresources: {} } },
  ])('installs a definition without status, and reads it again: $reason', async ({ version }) => {
    const api = anApi();
    const { subresources: _, ...plain } = clusterCrd.spec.versions[0] ?? expect.unreachable();
    const crd = { ...clusterCrd, spec: { ...clusterCrd.spec, versions: [{ ...plain, ...version }] } };
    const created = await installCrds(api.kubernetes, [crd], { clock: api.clock });
    expect(created).toEqual({ created: [crd.metadata.name], problems: [] });
    expect(await checkCrds(api.kubernetes, [crd])).toEqual({ created: [], problems: [] });
  });

  test('installs a definition without labels', async () => {
    const api = anApi();
    const crd = { ...clusterCrd, metadata: { name: clusterCrd.metadata.name } };
    const created = await installCrds(api.kubernetes, [crd], { clock: api.clock });
    expect(created).toEqual({ created: [crd.metadata.name], problems: [] });
  });

  test('waits for no version that is not served', async () => {
    const api = anApi();
    const versions = clusterCrd.spec.versions.flatMap(ours => [
      ours,
      { ...ours, name: 'v1alpha1', served: false, storage: false },
    ]);
    const crd = { ...clusterCrd, spec: { ...clusterCrd.spec, versions } };
    const created = await installCrds(api.kubernetes, [crd], { clock: api.clock });
    expect(created).toEqual({ created: [crd.metadata.name], problems: [] });
  });

  test('reports the required correction of a definition that the server refuses', async () => {
    const api = anApi();
    const crd = { ...clusterCrd, metadata: { ...clusterCrd.metadata, name: 'other.cluster.x-k8s.io' } };
    const { problems } = await installCrds(api.kubernetes, [crd], { clock: api.clock });
    expect(problems).toEqual([
      {
        object: 'other.cluster.x-k8s.io',
        problem: expect.stringMatching(/^could not be created: .*metadata\.name/),
        remedy: 'fix the definition',
      },
    ]);
  });

  test('reports a definition that is being deleted', async () => {
    const api = anApi();
    await api.given(clusterCrd);
    await api.others.mergePatch(refOf(clusterCrd), { metadata: { finalizers: ['example.com/hold'] } });
    await api.others.delete(refOf(clusterCrd));
    const { problems } = await installCrds(api.kubernetes, [clusterCrd], { clock: api.clock });
    expect(problems.map(({ problem }) => problem)).toEqual(['is being deleted']);
  });

  test('reports names that another definition took', async () => {
    const api = anApi();
    await api.given(clusterCrd);
    const taken = { type: 'NamesAccepted', status: 'False', message: '"clusters" is already in use' };
    await api.others.mergePatch(refOf(clusterCrd), { status: { conditions: [taken] } }, { subresource: 'status' });
    const { problems } = await installCrds(api.kubernetes, [clusterCrd], { clock: api.clock });
    expect(problems.map(({ problem }) => problem)).toEqual([
      'has names that another definition uses: "clusters" is already in use',
    ]);
  });

  test('waits until the API server has established a kind', async () => {
    const api = anApi();
    await api.given(clusterCrd);
    await api.others.mergePatch(refOf(clusterCrd), establishedIs('False'), { subresource: 'status' });
    let settled = false;
    const installing = installCrds(api.kubernetes, [clusterCrd], { clock: api.clock }).finally(() => {
      settled = true;
    });
    await api.clock.advance(5_000);
    expect(settled).toBe(false);
    await api.others.mergePatch(refOf(clusterCrd), establishedIs('True'), { subresource: 'status' });
    await api.clock.advance(1_000);
    expect(settled).toBe(true);
    expect(await installing).toEqual({ created: [], problems: [] });
  });

  test('waits until the API server answers requests for a kind it just established', async () => {
    const api = anApi();
    const failure = { reason: 'NotFound', code: 404, message: 'no such resource' } as const;
    api.fail({ at: call => call.verb === 'page', failure, times: 2 });
    const installing = installCrds(api.kubernetes, [clusterCrd], { clock: api.clock });
    await api.clock.advance(1_000);
    expect(await installing).toEqual({ created: [clusterCrd.metadata.name], problems: [] });
    expect(api.all.filter(({ verb }) => verb === 'page')).toHaveLength(3);
  });

  test('gives up waiting after the time allowed', async () => {
    const api = anApi();
    await api.given(clusterCrd);
    await api.others.mergePatch(refOf(clusterCrd), establishedIs('False'), { subresource: 'status' });
    const installing = installCrds(api.kubernetes, [clusterCrd], { clock: api.clock, timeoutMs: 2_000 });
    await api.clock.advance(2_000);
    const { problems } = await installing;
    expect(problems.map(toProblemLine)).toEqual([
      'CustomResourceDefinition clusters.cluster.x-k8s.io is not served yet; see its conditions and the log of the API server',
    ]);
  });

  test('stops waiting when interrupted', async () => {
    const api = anApi();
    await api.given(clusterCrd);
    await api.others.mergePatch(refOf(clusterCrd), establishedIs('False'), { subresource: 'status' });
    const interrupted = new AbortController();
    const installing = installCrds(api.kubernetes, [clusterCrd], { clock: api.clock, signal: interrupted.signal });
    await api.clock.advance(1_000);
    interrupted.abort();
    expect((await installing).problems).toHaveLength(1);
  });

  test('checks a definition that another client created in between', async () => {
    const api = anApi();
    api.before(
      call => call.verb === 'create',
      () => api.given(withLabels(simulatedClusterCrd, {})),
    );
    const report = await installCrds(api.kubernetes, [simulatedClusterCrd], { clock: api.clock });
    expect(report.created).toEqual([]);
    expect(report.problems.map(({ problem }) => problem)).toEqual([
      'lacks version v1beta2 in label cluster.x-k8s.io/v1beta2',
    ]);
  });

  test.each<{ verb: 'get' | 'create'; reason: FailureReason; remedy: string }>([
    { verb: 'get', reason: 'Forbidden', remedy: 'grant the verb get' },
    { verb: 'create', reason: 'Forbidden', remedy: 'grant the verb create' },
    { verb: 'create', reason: 'UnknownOutcome', remedy: 'run again' },
  ])('gives a remedy when $verb ends in $reason, and installs the others', async ({ verb, reason, remedy }) => {
    const api = anApi();
    const isCluster = (of: object): boolean => 'name' in of && of.name === clusterCrd.metadata.name;
    api.fail({
      at: call => call.verb === verb && isCluster(call.of),
      failure: { reason, message: 'refused by the test' },
    });
    const { created, problems } = await installCrds(api.kubernetes, both, { clock: api.clock });
    expect(created).toEqual([simulatedClusterCrd.metadata.name]);
    expect(problems).toEqual([
      {
        object: clusterCrd.metadata.name,
        problem: expect.stringContaining('refused by the test'),
        remedy: expect.stringContaining(remedy),
      },
    ]);
  });
});

describe('checking definitions', () => {
  test('names the missing ones and the option that installs them', async () => {
    const api = anApi();
    const { created, problems } = await checkCrds(api.kubernetes, both);
    expect(created).toEqual([]);
    expect(problems.map(({ object, problem }) => [object, problem])).toEqual(
      names.map(name => [name, 'is not installed']),
    );
    expect(problems.every(({ remedy }) => remedy.includes('--install-crds'))).toBe(true);
    expect(api.writes).toEqual([]);
  });

  test('reports missing parts of existing ones', async () => {
    const api = anApi();
    await api.given(clusterCrd);
    await api.given(withLabels(simulatedClusterCrd, {}));
    const { problems } = await checkCrds(api.kubernetes, both);
    expect(problems.map(toProblemLine)).toEqual([
      'CustomResourceDefinition simulatedclusters.infrastructure.cluster.x-k8s.io lacks version v1beta2 in label cluster.x-k8s.io/v1beta2; ' +
        'upgrade the Cluster API release or provider that installed it, or delete it if nothing uses it',
    ]);
  });
});
