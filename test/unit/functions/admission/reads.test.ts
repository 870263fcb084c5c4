import { beforeEach, describe, expect, it } from 'vitest';
import { aClass, classSpec, managed } from '../../shared/admission/admission-cluster.ts';
import { AdmissionWorld } from './admission-world.ts';

const failure = { reason: 'Unavailable', code: 503, message: 'no quorum' } as const;

let world: AdmissionWorld;

beforeEach(() => {
  world = new AdmissionWorld();
});

const reads = () => world.api.calls.all.map(({ verb, kind }) => `${verb} ${kind}`);

describe('the hooks of Clusters', () => {
  const withVariable = { variables: [{ name: 'a', definitionsConflict: false, definitions: [aDefinition('x')] }] };

  function aDefinition(value: string): object {
    return { from: 'inline', required: true, schema: { openAPIV3Schema: { type: 'string', default: value } } };
  }

  const storedClass = (status: object = {}) => {
    const condition = { type: 'VariablesReady', status: 'True', reason: 'R', message: '' };
    const conditions = [{ ...condition, lastTransitionTime: '2026-01-01T00:00:00Z' }];
    const { metadata, ...rest } = aClass({}, { ...status, conditions });
    return { ...rest, metadata: { name: metadata.name, namespace: 'ns' } } as never;
  };

  it('default the version and the variables with the stored class', async () => {
    world.api.given(storedClass(withVariable));
    const { operations } = await world.ask('mutate', 'Cluster', { object: managed({ version: '1.36.0' }) });
    expect(operations).toEqual([
      { op: 'replace', path: '/spec/topology/version', value: 'v1.36.0' },
      { op: 'add', path: '/spec/topology/variables', value: [{ name: 'a', value: 'x' }] },
    ]);
    expect(reads()).toEqual(['get ClusterClass']);
  });

  it('wait two seconds for a class that is missing, then allow with a warning', async () => {
    const started = world.api.clock.now();
    const answer = await world.ask('validate', 'Cluster', { object: managed() });
    expect(answer).toMatchObject({ allowed: true, warnings: [expect.stringContaining('does not exist')] });
    expect(world.api.clock.now() - started).toBe(2_000);
    expect(reads()).toHaveLength(11);
  });

  it('stop waiting when the class was reconciled', async () => {
    world.api.calls.before(3, () => world.api.given(storedClass()));
    const answer = await world.ask('validate', 'Cluster', { object: managed() });
    expect(answer).toMatchObject({ allowed: true });
    expect(answer.warnings).toBeUndefined();
    expect(reads()).toHaveLength(3);
  });

  it('read nothing for a Cluster without topology, for a class without name, or for a name that no object has', async () => {
    const { spec, ...rest } = managed();
    const plain = { ...rest, spec: { infrastructureRef: { apiGroup: 'g', kind: 'K', name: 'n' } } };
    await world.ask('mutate', 'Cluster', { object: plain });
    await world.ask('validate', 'Cluster', { object: plain });
    await world.ask('validate', 'Cluster', { object: managed({ classRef: { name: '' } }) });
    await world.ask('mutate', 'Cluster', { object: managed({ classRef: { name: '../../secrets' } }) });
    expect(spec).toBeDefined();
    expect(reads()).toEqual([]);
  });

  it('answer with the error of a read', async () => {
    world.api.calls.fail({ at: () => true, failure });
    for (const hook of ['mutate', 'validate'] as const) {
      expect(await world.ask(hook, 'Cluster', { object: managed() })).toMatchObject({
        allowed: false,
        status: {
          code: 500,
          reason: 'InternalError',
          message: 'Internal error occurred: ClusterClass ns/cc can not be retrieved: no quorum',
        },
      });
    }
  });

  it('read the progress of the upgrade if the version changes', async () => {
    world.api.given(storedClass());
    const object = managed({ version: 'v1.37.0' });
    const answer = await world.ask('validate', 'Cluster', { operation: 'UPDATE', object, oldObject: managed() });
    expect(answer).toMatchObject({ allowed: false, status: { code: 422 } });
    expect(reads().toSorted()).toEqual([
      'get ClusterClass',
      'list Machine',
      'list MachineDeployment',
      'list MachinePool',
    ]);
    const unchanged = await world.ask('validate', 'Cluster', { operation: 'UPDATE', object, oldObject: object });
    expect(unchanged.allowed).toBe(true);
    expect(reads()).toHaveLength(5);
  });

  it('answer with the error of a read of the progress', async () => {
    world.api.given(storedClass());
    world.api.calls.fail({ at: ({ verb }) => verb === 'list', failure });
    const request = { operation: 'UPDATE', object: managed({ version: 'v1.37.0' }), oldObject: managed() };
    const { status } = await world.ask('validate', 'Cluster', request);
    expect(status).toMatchObject({
      code: 500,
      message: expect.stringMatching(/failed to list the .*s of the Cluster: no quorum$/),
    });
  });
});

describe('the hook of ClusterClasses', () => {
  const inUse = managed();
  const { metadata } = aClass();
  const before = { ...aClass(), metadata };
  const changed = { ...before, spec: { ...classSpec, workers: {} } };

  const givenUse = () =>
    world.api.given(
      { ...inUse, metadata: { name: 'c', namespace: 'ns' } } as never,
      {
        ...inUse,
        metadata: { name: 'other', namespace: 'elsewhere' },
      } as never,
    );

  it('refuses a change that the Clusters of the class do not allow', async () => {
    const topology = { workers: { machineDeployments: [{ class: 'worker', name: 'md' }] } };
    world.api.given({ ...managed(topology), metadata: { name: 'c', namespace: 'ns' } } as never);
    const request = { operation: 'UPDATE', object: changed, oldObject: before };
    expect(await world.ask('validate', 'ClusterClass', request)).toMatchObject({
      allowed: false,
      status: {
        code: 422,
        message: expect.stringContaining(
          'MachineDeploymentClass "worker" cannot be deleted because it is used by Cluster "c"',
        ),
      },
    });
  });

  it('reads no Clusters if the spec is the same, or for a new class', async () => {
    await world.ask('validate', 'ClusterClass', { operation: 'UPDATE', object: before, oldObject: before });
    await world.ask('validate', 'ClusterClass', { object: before });
    expect(reads()).toEqual([]);
  });

  it('refuses the deletion of a class in use, and names its Clusters', async () => {
    givenUse();
    const request = { operation: 'DELETE', name: 'cc', object: null, oldObject: before };
    expect(await world.ask('validate', 'ClusterClass', request)).toMatchObject({
      allowed: false,
      status: {
        code: 403,
        reason: 'Forbidden',
        message:
          'ClusterClass.cluster.x-k8s.io "cc" is forbidden: ClusterClass cannot be deleted because it is used by Cluster(s): ns/c',
        details: { name: 'cc', group: 'cluster.x-k8s.io', kind: 'ClusterClass' },
      },
    });
  });

  it('allows the deletion of a class without Clusters, and answers with the error of the read', async () => {
    const request = { operation: 'DELETE', object: null, oldObject: before };
    expect((await world.ask('validate', 'ClusterClass', request)).allowed).toBe(true);
    world.api.calls.fail({ at: ({ verb }) => verb === 'page', failure });
    expect(await world.ask('validate', 'ClusterClass', request)).toMatchObject({
      allowed: false,
      status: { code: 500 },
    });
    expect(await world.ask('validate', 'ClusterClass', { operation: 'DELETE' })).toMatchObject({
      allowed: false,
      status: { code: 400 },
    });
  });

  it('refuses with the text alone without its feature gate', async () => {
    world.gates = { ...world.gates, clusterTopology: false };
    expect(await world.ask('validate', 'ClusterClass', { object: before })).toMatchObject({
      allowed: false,
      status: {
        code: 403,
        reason: 'Forbidden',
        message: 'spec: Forbidden: can be set only if the ClusterTopology feature flag is enabled',
      },
    });
  });
});

describe('the hook of IPAddresses', () => {
  const pool = { apiGroup: 'ipam.cluster.x-k8s.io', kind: 'TestPool', name: 'pool' };
  const anAddress = (poolName = 'pool', claim = 'cl') => ({
    apiVersion: 'ipam.cluster.x-k8s.io/v1beta2',
    kind: 'IPAddress',
    metadata: { name: 'a', namespace: 'ns' },
    spec: { address: '10.0.0.1', prefix: 24, claimRef: { name: claim }, poolRef: { ...pool, name: poolName } },
  });
  const claim = { spec: { poolRef: pool } };
  const giveClaim = () => {
    const { kubernetes } = world.api;
    world.connect = async () => ({ ...kubernetes, get: async () => ({ ok: true, value: claim }) as never });
  };

  it('compares the pool with that of the claim', async () => {
    giveClaim();
    expect((await world.ask('validate', 'IPAddress', { object: anAddress() })).allowed).toBe(true);
    expect(await world.ask('validate', 'IPAddress', { object: anAddress('nothing') })).toMatchObject({
      allowed: false,
      status: {
        code: 403,
        message:
          'spec.poolRef: Invalid value: {"name":"nothing","kind":"TestPool","apiGroup":"ipam.cluster.x-k8s.io"}: the referenced pool is different from the pool referenced by the claim this address should fulfill',
      },
    });
  });

  it('allows an address whose claim does not exist', async () => {
    const missing = { ok: false, missing: true, failure: { reason: 'NotFound', code: 404, message: 'x' } } as const;
    world.connect = async () => ({ ...world.api.kubernetes, get: async () => missing });
    expect((await world.ask('validate', 'IPAddress', { object: anAddress() })).allowed).toBe(true);
  });

  it('answers with the error of the read, and nothing more', async () => {
    const failed = {
      ok: false,
      missing: false,
      failure: { reason: 'InternalError', code: 500, message: 'boom' },
    } as const;
    world.connect = async () => ({ ...world.api.kubernetes, get: async () => failed });
    expect(await world.ask('validate', 'IPAddress', { object: anAddress() })).toMatchObject({
      allowed: false,
      status: { code: 403, message: 'spec.claimRef: Internal error: failed to fetch claim: boom' },
    });
  });

  it('reads no claim of a name that no object has, and none for an update', async () => {
    world.connect = async () => {
      throw new Error('reads');
    };
    expect((await world.ask('validate', 'IPAddress', { object: anAddress('pool', '../x') })).allowed).toBe(true);
    const request = { operation: 'UPDATE', object: anAddress(), oldObject: anAddress('other') };
    expect(await world.ask('validate', 'IPAddress', request)).toMatchObject({
      allowed: false,
      status: { code: 403, message: expect.stringMatching(/^spec: Forbidden: IPAddress spec is immutable\. Diff: /) },
    });
  });
});

describe('a defect of the rules', () => {
  it('is a decision without the message of the error', async () => {
    world.connect = async () => {
      throw new TypeError('canary');
    };
    const answer = await world.ask('validate', 'Cluster', { object: managed() });
    expect(answer).toMatchObject({
      allowed: false,
      status: { code: 500, message: 'panic: the rules of a Cluster failed [recovered]' },
    });
    expect(JSON.stringify(world.log.lines)).not.toContain('canary');
    expect(world.log.lines[0]).toMatchObject({ level: 'error', error: expect.stringContaining('TypeError') });
  });
});

describe('the hooks of ExtensionConfigs', () => {
  const apiVersion = 'runtime.cluster.x-k8s.io/v1beta2';
  const service = { name: 'ext', namespace: 'default' };
  const object = {
    apiVersion,
    kind: 'ExtensionConfig',
    metadata: { name: 'ext' },
    spec: { clientConfig: { service } },
  };

  it('default and validate', async () => {
    const { operations } = await world.ask('mutate', 'ExtensionConfig', { object });
    expect(operations).toEqual([
      { op: 'add', path: '/spec/clientConfig/service/port', value: 443 },
      { op: 'add', path: '/spec/namespaceSelector', value: {} },
    ]);
    expect(await world.ask('validate', 'ExtensionConfig', { object })).toMatchObject({
      allowed: false,
      status: {
        code: 422,
        message: expect.stringContaining('spec.namespaceSelector: Required value: must be defined'),
      },
    });
    world.gates = { ...world.gates, runtimeSdk: false };
    expect(await world.ask('validate', 'ExtensionConfig', { object })).toMatchObject({
      allowed: false,
      status: { code: 403 },
    });
  });
});
