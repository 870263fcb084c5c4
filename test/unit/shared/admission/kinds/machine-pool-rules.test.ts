import type { JsonObject } from '@capi-serverless/apimachinery';
import { describe, expect, it } from 'vitest';
import { defaulted, defaultGates, verdictOf, withTaints } from './judged-write.ts';

const machinePool = { group: 'cluster.x-k8s.io', kind: 'MachinePool' } as const;
const size = 'cluster.x-k8s.io/cluster-api-autoscaler-node-group';

function aPool(
  template: object = {},
  { spec = {}, metadata = {} }: { spec?: object; metadata?: object } = {},
): JsonObject {
  return {
    apiVersion: 'cluster.x-k8s.io/v1beta2',
    kind: 'MachinePool',
    metadata: { name: 'mp1', namespace: 'ns', ...metadata },
    spec: {
      clusterName: 'c1',
      template: { spec: { clusterName: 'c1', bootstrap: { dataSecretName: 's' }, ...template } },
      ...spec,
    },
  };
}

describe('the defaults of a MachinePool', () => {
  it('are a label, a replica, a timeout and the prefix of its version', () => {
    expect(defaulted(aPool({ version: '1.34.1' }), machinePool)).toEqual(
      aPool(
        { version: 'v1.34.1', deletion: { nodeDeletionTimeoutSeconds: 10 } },
        { spec: { replicas: 1 }, metadata: { labels: { 'cluster.x-k8s.io/cluster-name': 'c1' } } },
      ),
    );
  });

  it('need readable annotations of an autoscaler', () => {
    const annotations = { [`${size}-min-size`]: '3', [`${size}-max-size`]: '99999999999' };
    expect(verdictOf(aPool({}, { metadata: { annotations } }), machinePool)).toBe(
      `403: failed to caculate MachinePool replicas value: could not parse the value of the "${size}-max-size" annotation: strconv.ParseInt: parsing "99999999999": value out of range`,
    );
  });
});

describe('a MachinePool', () => {
  const disabled =
    'spec.taints: Forbidden: taints are not allowed to be set when the feature gate MachineTaintPropagation is disabled';
  const notYet = 'spec.taints: Forbidden: taints feature for MachinePools is not yet implemented';
  const tainted = aPool({ taints: [{ key: 'a', effect: 'NoSchedule' }] });

  it('is allowed', () => {
    expect(verdictOf(aPool(), machinePool)).toBe('allowed');
  });

  it('needs its gate, without a cause', () => {
    const gates = { ...defaultGates, machinePool: false };
    expect(verdictOf(aPool({ bootstrap: {} }), { ...machinePool, gates })).toBe(
      '403: spec: Forbidden: can be set only if the MachinePool feature flag is enabled',
    );
  });

  it('has no taints yet', () => {
    expect(verdictOf(tainted, machinePool)).toBe(`422: [${notYet}, ${disabled}]`);
    expect(verdictOf(tainted, { ...machinePool, gates: withTaints })).toBe(`422: ${notYet}`);
  });

  it.each([
    {
      object: aPool({ bootstrap: {} }),
      problem:
        'spec.template.spec.bootstrap: Required value: expected either spec.template.spec.bootstrap.dataSecretName or spec.template.spec.bootstrap.configRef to be populated',
    },
    {
      object: aPool({ clusterName: 'c2' }),
      problem:
        'spec.clusterName: Invalid value: "c1": spec.clusterName and spec.template.spec.clusterName must be set to the same value',
    },
    {
      object: aPool({ version: 'v1' }),
      problem: 'spec.template.spec.version: Invalid value: "v1": must be a valid semantic version',
    },
    {
      object: aPool(
        {},
        {
          spec: {
            template: {
              metadata: { labels: { '/a': '' } },
              spec: { clusterName: 'c1', bootstrap: { dataSecretName: 's' } },
            },
          },
        },
      ),
      problem: 'spec.template.metadata.labels: Invalid value: "/a": prefix part must be non-empty',
    },
  ])('is refused: $problem', ({ object, problem }) => {
    expect(verdictOf(object, machinePool)).toBe(`422: ${problem}`);
  });

  it('stays in its Cluster', () => {
    const moved = aPool(
      { clusterName: 'c2' },
      { spec: { clusterName: 'c2', template: { spec: { clusterName: 'c2', bootstrap: { dataSecretName: 's' } } } } },
    );
    expect(verdictOf(moved, { ...machinePool, old: aPool() })).toBe(
      '422: spec.clusterName: Forbidden: field is immutable',
    );
  });
});
