import type { JsonObject } from '@capi-serverless/apimachinery';
import { describe, expect, it } from 'vitest';
import { defaulted, verdictOf } from './judged-write.ts';

const machineHealthCheck = { group: 'cluster.x-k8s.io', kind: 'MachineHealthCheck' } as const;
const clusterName = 'cluster.x-k8s.io/cluster-name';

function aCheck(spec: object = {}, labels?: object): JsonObject {
  return {
    apiVersion: 'cluster.x-k8s.io/v1beta2',
    kind: 'MachineHealthCheck',
    metadata: { name: 'mhc1', namespace: 'ns', ...(labels === undefined ? {} : { labels }) },
    spec: { clusterName: 'c1', selector: { matchLabels: { a: 'b' } }, ...spec },
  };
}

describe('the defaults of a MachineHealthCheck', () => {
  it('are the label of its Cluster and the timeout of a starting Node', () => {
    const labels = { [clusterName]: 'c1' };
    expect(defaulted(aCheck(), machineHealthCheck)).toEqual(
      aCheck({ checks: { nodeStartupTimeoutSeconds: 600 } }, labels),
    );
    const off = { checks: { nodeStartupTimeoutSeconds: 0 } };
    expect(defaulted(aCheck(off), machineHealthCheck)).toEqual(aCheck(off, labels));
  });
});

describe('a MachineHealthCheck', () => {
  const startup = (seconds: number) => ({ checks: { nodeStartupTimeoutSeconds: seconds } });
  const trigger = (unhealthyLessThanOrEqualTo: unknown) => ({
    remediation: { triggerIf: { unhealthyLessThanOrEqualTo } },
  });
  const other = { matchLabels: { [clusterName]: 'other' } };

  it.each([
    { spec: { selector: {} }, problem: 'spec.selector: Required value: selector must not be empty' },
    { spec: { selector: undefined }, problem: 'spec.selector: Required value: selector must not be empty' },
    {
      spec: { selector: other },
      problem: `spec.selector: Invalid value: ${JSON.stringify(other)}: cannot specify a cluster selector other than the one specified by ClusterName`,
    },
    {
      spec: { selector: { matchExpressions: [{ key: 'a', operator: 'Like' }] } },
      problem:
        'spec.selector: Invalid value: {"matchExpressions":[{"key":"a","operator":"Like"}]}: "Like" is not a valid label selector operator',
    },
    { spec: startup(29), problem: 'spec.checks.nodeStartupTimeoutSeconds: Invalid value: 29: must be at least 30s' },
    {
      spec: trigger('abc'),
      problem:
        'spec.remediation.triggerIf.unhealthyLessThanOrEqualTo: Invalid value: "abc": must be either an int or a percentage: invalid value for IntOrString: invalid type: string is not a percentage',
    },
  ])('is refused: $problem', ({ spec, problem }) => {
    expect(verdictOf(aCheck(spec), machineHealthCheck)).toBe(`422: ${problem}`);
  });

  it.each([
    startup(0),
    startup(30),
    trigger('40%'),
    trigger(3),
    { selector: { matchLabels: { [clusterName]: 'c1' } } },
  ])('is allowed with %j', spec => {
    expect(verdictOf(aCheck(spec), machineHealthCheck)).toBe('allowed');
  });

  it('stays in its Cluster', () => {
    expect(verdictOf(aCheck({ clusterName: 'c2' }), { ...machineHealthCheck, old: aCheck() })).toBe(
      '422: spec.clusterName: Forbidden: field is immutable',
    );
  });
});
