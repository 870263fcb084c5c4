import { describe, expect, it } from 'vitest';
import { assumedDefaults, withDefaults } from '../../../../functions/machinedeployment/phases/defaults.ts';
import { aNewDeployment, deploymentSpec, rolling } from './world.ts';

const ofCluster = { 'cluster.x-k8s.io/cluster-name': 'c1' };
const label = { ...ofCluster, 'cluster.x-k8s.io/deployment-name': 'md1' };

function specWith(spec: object): unknown {
  return withDefaults(
    aNewDeployment()
      .withSpec({ ...spec })
      .build(),
  ).spec;
}

describe('the defaults of a MachineDeployment', () => {
  it.each([
    { reason: 'a complete specification', spec: {}, is: deploymentSpec },
    { reason: 'no replicas', spec: { replicas: undefined }, is: { ...deploymentSpec, replicas: 1 } },
    { reason: 'no rollout', spec: { rollout: undefined }, is: { ...deploymentSpec, ...rolling(1, 0) } },
    {
      reason: 'a surge only',
      spec: { rollout: { strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: 2 } } } },
      is: { ...deploymentSpec, ...rolling(2, 0) },
    },
    {
      reason: 'OnDelete',
      spec: { rollout: { strategy: { type: 'OnDelete' } } },
      is: { ...deploymentSpec, rollout: { strategy: { type: 'OnDelete' } } },
    },
    {
      reason: 'no selector',
      spec: { selector: undefined, template: { spec: {} } },
      is: { ...deploymentSpec, selector: { matchLabels: label }, template: { metadata: { labels: label }, spec: {} } },
    },
    {
      reason: 'a selector of expressions',
      spec: { selector: { matchExpressions: [{ key: 'a', operator: 'Exists' }] } },
      is: {
        ...deploymentSpec,
        selector: { matchLabels: ofCluster, matchExpressions: [{ key: 'a', operator: 'Exists' }] },
      },
    },
    {
      reason: 'a selector without the Cluster',
      spec: { selector: { matchLabels: { a: 'b' } }, template: { metadata: { labels: { a: 'b' } }, spec: {} } },
      is: {
        ...deploymentSpec,
        selector: { matchLabels: { a: 'b', ...ofCluster } },
        template: { metadata: { labels: { a: 'b', ...ofCluster } }, spec: {} },
      },
    },
  ])('of $reason', ({ spec, is }) => {
    expect(specWith(spec)).toEqual(is);
  });
});

it('assumes the label of the Cluster, and says so', () => {
  const described = (matchLabels: Readonly<Record<string, string>>) =>
    assumedDefaults(aNewDeployment().withSpec({ selector: { matchLabels } }).build());
  expect(described({ a: 'b' })).toEqual([
    'spec.selector lacks the label cluster.x-k8s.io/cluster-name=c1: it is assumed, also in the template',
  ]);
  expect(described({ a: 'b', ...ofCluster })).toEqual([]);
});
