import type { JsonObject } from '@capi-serverless/apimachinery';
import { describe, expect, it } from 'vitest';
import { assumedDefaults, withDefaults } from '../../../../functions/machinedeployment/phases/defaults.ts';
import { aNewDeployment, deploymentSpec, rolling } from './deployment-with-sets.ts';

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

describe('the description of assumed defaults', () => {
  const describedBy = (spec: JsonObject) => assumedDefaults(aNewDeployment().withSpec(spec).build());
  const surge = 'spec.rollout.strategy.rollingUpdate.maxSurge is not set: 1 is assumed';
  const unavailable = 'spec.rollout.strategy.rollingUpdate.maxUnavailable is not set: 0 is assumed';
  const empty =
    'spec.selector is empty: the label cluster.x-k8s.io/deployment-name=md1 is assumed, also in the template';

  it.each<{ readonly reason: string; readonly spec: JsonObject; readonly is: readonly string[] }>([
    { reason: 'a complete specification', spec: {}, is: [] },
    { reason: 'no replicas', spec: { replicas: undefined }, is: ['spec.replicas is not set: 1 is assumed'] },
    {
      reason: 'no rollout',
      spec: { rollout: undefined },
      is: ['spec.rollout.strategy.type is not set: RollingUpdate is assumed', surge, unavailable],
    },
    {
      reason: 'a strategy without numbers',
      spec: { rollout: { strategy: { type: 'RollingUpdate' } } },
      is: [surge, unavailable],
    },
    { reason: 'a strategy that has no numbers', spec: { rollout: { strategy: { type: 'OnDelete' } } }, is: [] },
    {
      reason: 'a selector without the Cluster',
      spec: { selector: { matchLabels: { a: 'b' } } },
      is: ['spec.selector lacks the label cluster.x-k8s.io/cluster-name=c1: it is assumed, also in the template'],
    },
    {
      reason: 'a selector with the Cluster',
      spec: { selector: { matchLabels: { a: 'b', ...ofCluster } } },
      is: [],
    },
    { reason: 'no selector', spec: { selector: undefined }, is: [empty] },
    { reason: 'an empty selector', spec: { selector: { matchLabels: {}, matchExpressions: [] } }, is: [empty] },
  ])('of $reason', ({ spec, is }) => {
    expect(describedBy(spec)).toEqual(is);
  });
});
