import type { JsonObject } from '@capi-serverless/apimachinery';
import { describe, expect, it } from 'vitest';
import { defaulted, nameProblem, verdictOf, withTaints } from './judged-write.ts';

const machine = { group: 'cluster.x-k8s.io', kind: 'Machine' } as const;
const clusterName = 'cluster.x-k8s.io/cluster-name';

function aMachine(spec: object = {}, metadata: object = {}): JsonObject {
  return {
    apiVersion: 'cluster.x-k8s.io/v1beta2',
    kind: 'Machine',
    metadata: { name: 'm', namespace: 'ns', ...metadata },
    spec: { clusterName: 'c1', bootstrap: { dataSecretName: 's' }, ...spec },
  };
}

const noBootstrap =
  '422: spec.bootstrap: Required value: expected either spec.bootstrap.dataSecretName or spec.bootstrap.configRef to be populated';

describe('the defaults of a Machine', () => {
  it('are the label of its Cluster, the prefix of its version, and a timeout', () => {
    const plain = aMachine({ version: '1.34.1' });
    expect(defaulted(plain, machine)).toEqual(
      aMachine(
        { version: 'v1.34.1', deletion: { nodeDeletionTimeoutSeconds: 10 } },
        { labels: { [clusterName]: 'c1' } },
      ),
    );
  });

  it('overwrite only the label', () => {
    const spec = { version: 'v1.34.1', deletion: { nodeDeletionTimeoutSeconds: 0 } };
    const labelled = (cluster: string) => aMachine(spec, { labels: { a: 'b', [clusterName]: cluster } });
    expect(defaulted(labelled('other'), { ...machine, old: labelled('other') })).toEqual(labelled('c1'));
  });

  it('do not invent a version', () => {
    expect(defaulted(aMachine({ version: '' }), machine)).toMatchObject({ spec: { version: '' } });
    expect(defaulted(aMachine({ version: 1 }), machine)).toMatchObject({ spec: { version: 1 } });
  });
});

describe('bootstrap data of a Machine', () => {
  const owner = { apiVersion: 'example.io/v1', kind: 'MachinePool', name: 'p', uid: 'u' };
  it.each([
    { reason: 'is required', object: aMachine({ bootstrap: {} }), verdict: noBootstrap },
    {
      reason: 'is required from null',
      object: aMachine({ bootstrap: { dataSecretName: null } }),
      verdict: noBootstrap,
    },
    {
      reason: 'is required from others',
      object: aMachine({ bootstrap: {} }, { ownerReferences: [{ kind: 'MachineSet' }] }),
      verdict: noBootstrap,
    },
    { reason: 'may be an empty name', object: aMachine({ bootstrap: { dataSecretName: '' } }), verdict: 'allowed' },
    {
      reason: 'may be a reference',
      object: aMachine({ bootstrap: { configRef: { name: 'b1' } } }),
      verdict: 'allowed',
    },
    {
      reason: 'is not needed with the label of a pool',
      object: aMachine({ bootstrap: {} }, { labels: { 'cluster.x-k8s.io/pool-name': '' } }),
      verdict: 'allowed',
    },
    {
      reason: 'is not needed with a pool as owner',
      object: aMachine({ bootstrap: {} }, { ownerReferences: [owner] }),
      verdict: 'allowed',
    },
  ])('$reason', ({ object, verdict }) => {
    expect(verdictOf(object, machine)).toBe(verdict);
  });
});

describe('the Cluster of a Machine', () => {
  it('is immutable', () => {
    expect(verdictOf(aMachine({ clusterName: 'c2' }), { ...machine, old: aMachine() })).toBe(
      '422: spec.clusterName: Forbidden: field is immutable',
    );
    expect(verdictOf(aMachine({ version: 'v1.2.3' }), { ...machine, old: aMachine() })).toBe('allowed');
  });
});

describe('the version of a Machine', () => {
  it.each(['v1', 'v1.34', 'v1.34.1++', 'vv1.34.1', 'v01.2.3', 'v1.2.3-01', 'v1.2.3-', 'v1.2.3-a..b'])(
    '%s is not semantic',
    version => {
      expect(verdictOf(aMachine({ version }), machine)).toBe(
        `422: spec.version: Invalid value: "${version}": must be a valid semantic version`,
      );
    },
  );

  it.each(['v1.35.0-alpha.1', '1.34.0', 'v1.34.0+vendor.1', 'v1.2.3-0a.b', 'v18446744073709551615.0.0'])(
    '%s is semantic',
    version => {
      expect(verdictOf(aMachine({ version }), machine)).toBe('allowed');
    },
  );

  it('needs its prefix, which the defaults set', () => {
    expect(verdictOf(aMachine({ version: 'wrong' }), { ...machine, undefaulted: true })).toBe(
      '422: [spec.version: Invalid value: "wrong": must start with v, spec.version: Invalid value: "wrong": must be a valid semantic version]',
    );
  });
});

describe('the taints of a Machine', () => {
  const tainted = (key: string, labels = {}): JsonObject =>
    aMachine({ taints: [{ key, effect: 'NoSchedule', propagation: 'Always' }] }, { labels });
  const long = 'a'.repeat(64);

  it('need their gate', () => {
    expect(verdictOf(tainted('some/taint'), machine)).toBe(
      '422: spec.taints: Forbidden: taints are not allowed to be set when the feature gate MachineTaintPropagation is disabled',
    );
  });

  it.each([
    {
      key: 'node.kubernetes.io/unreachable',
      problem: 'taint key must not have the prefix node.kubernetes.io/, except for node.kubernetes.io/out-of-service',
    },
    { key: 'node.cluster.x-k8s.io/uninitialized', problem: 'taint key is not allowed' },
    { key: 'node-role.kubernetes.io/control-plane', problem: 'taint is not allowed for worker Machines' },
    { key: long, problem: 'name part must be no more than 63 bytes' },
    { key: 'a b', problem: nameProblem },
  ])('must not have the key $key', ({ key, problem }) => {
    expect(verdictOf(tainted(key), { ...machine, gates: withTaints })).toBe(
      `422: spec.taints[0].key: Invalid value: "${key}": ${problem}`,
    );
  });

  it.each([
    'node.kubernetes.io/out-of-service',
    `${'a'.repeat(63)}.${'b'.repeat(63)}.${'c'.repeat(63)}.${'d'.repeat(61)}/${'e'.repeat(63)}`,
  ])('may have the key %s', key => {
    expect(verdictOf(tainted(key), { ...machine, gates: withTaints })).toBe('allowed');
  });

  it('may be those of a control plane on its Machines', () => {
    const labels = { 'cluster.x-k8s.io/control-plane': '' };
    expect(verdictOf(tainted('node-role.kubernetes.io/control-plane', labels), { ...machine, gates: withTaints })).toBe(
      'allowed',
    );
  });
});
