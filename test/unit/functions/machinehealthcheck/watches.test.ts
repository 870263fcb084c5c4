import { describe, expect, it } from 'vitest';
import { machineHealthCheckDeclaration } from '../../../../functions/machinehealthcheck/declaration.ts';
import { healthCheckKind, healthCheckWatches } from '../../../../functions/machinehealthcheck/watches.ts';
import { timestamp } from '../../../support/object-builder.ts';
import { aCapiCluster, aCheck, clusterNameLabel, machine, now } from './scenario-objects.ts';

const core = 'cluster.x-k8s.io/v1beta2';

function watchOf(kind: string) {
  const found = healthCheckWatches.find(({ source }) => source !== 'referenced' && source.kind === kind);
  if (found === undefined) {
    throw new Error(`${kind} is not watched`);
  }
  return found;
}

it('belongs to MachineHealthChecks', () => {
  expect(machineHealthCheckDeclaration).toMatchObject({ primary: healthCheckKind, watches: healthCheckWatches });
});

describe('an event of a Cluster', () => {
  const { map, matches, scopeOf, versionOf } = watchOf('Cluster');
  const source = { apiVersion: core, kind: 'Cluster', namespace: 'ns', name: 'c1' };

  it('enqueues the MachineHealthChecks with its label', () => {
    expect(map({ type: 'MODIFIED', object: aCapiCluster().build() })).toBe('expand');
    expect(matches?.(aCheck().build(), source)).toBe(true);
    expect(matches?.(aCheck().build(), { ...source, namespace: 'other' })).toBe(false);
    expect(matches?.(aCheck().build(), { apiVersion: core, kind: 'Cluster', name: 'c1' })).toBe(false);
    expect(matches?.(aCheck().onlyLabelled({}).build(), source)).toBe(false);
    expect(matches?.(aCheck().clusterScoped().build(), source)).toBe(false);
    expect(scopeOf?.(source)).toEqual({ namespace: 'ns', labels: { [clusterNameLabel]: 'c1' } });
    expect(scopeOf?.({ apiVersion: core, kind: 'Cluster' })).toEqual({});
  });

  it.each([
    { reason: 'its generation', cluster: aCapiCluster().atGeneration(7), isNew: true },
    {
      reason: 'its infrastructure',
      cluster: aCapiCluster().withCondition('InfrastructureReady', { status: 'False' }),
      isNew: true,
    },
    {
      reason: 'its control plane',
      cluster: aCapiCluster().withCondition('ControlPlaneInitialized', { status: 'False' }),
      isNew: true,
    },
    {
      reason: 'its connection',
      cluster: aCapiCluster().withCondition('RemoteConnectionProbe', { lastTransitionTime: timestamp(now) }),
      isNew: true,
    },
    { reason: 'another condition', cluster: aCapiCluster().withCondition('Available'), isNew: false },
    { reason: 'a label', cluster: aCapiCluster().labelled({ a: 'b' }), isNew: false },
  ])('is forwarded for $reason: $isNew', ({ cluster, isNew }) => {
    expect(versionOf?.(cluster.build()) !== versionOf?.(aCapiCluster().build())).toBe(isNew);
  });
});

describe('an event of a Machine', () => {
  const { map, matches, scopeOf, expandsTo, contentOf } = watchOf('Machine');

  it('enqueues the MachineHealthChecks of its Cluster', () => {
    expect(map({ type: 'DELETED', object: machine(1).build() })).toBe('expand');
    const cluster = { apiVersion: core, kind: 'Cluster', namespace: 'ns', name: 'c1' };
    const toSource = expandsTo === 'namespace' ? undefined : expandsTo;
    expect(toSource?.(machine(1).build())).toEqual(cluster);
    expect(toSource?.(machine(1).clusterScoped().build())).toEqual({ apiVersion: core, kind: 'Cluster', name: 'c1' });
    expect(watchOf('Cluster').matches?.(aCheck().build(), cluster)).toBe(true);
  });

  it.each([{}, { [clusterNameLabel]: '' }])('enqueues those of its namespace if its labels are %j', labels => {
    const toSource = expandsTo === 'namespace' ? undefined : expandsTo;
    expect(toSource?.(machine(1).onlyLabelled(labels).build())).toBeUndefined();
    const source = { apiVersion: core, kind: 'Machine', namespace: 'ns', name: 'm1' };
    expect(matches?.(aCheck().build(), source)).toBe(true);
    expect(matches?.(aCheck().build(), { ...source, namespace: 'other' })).toBe(false);
    expect(matches?.(aCheck().clusterScoped().build(), { apiVersion: core, kind: 'Machine', name: 'm1' })).toBe(true);
    expect(scopeOf?.(source)).toEqual({ namespace: 'ns' });
    expect(scopeOf?.({ apiVersion: core, kind: 'Machine' })).toEqual({});
  });

  const aMachine = () => machine(1).withCondition('EtcdPodHealthy', { status: 'True', message: 'a' });
  const deprecated = (type: string) => ({ deprecated: { v1beta1: { conditions: [{ type, status: 'False' }] } } });

  it.each([
    { reason: 'a label', after: aMachine().labelled({ a: 'b' }), isNew: true },
    { reason: 'another Node', after: aMachine().withStatus({ nodeRef: { name: 'n9' } }), isNew: true },
    {
      reason: 'the status of a condition that a check may name',
      after: aMachine().withCondition('EtcdPodHealthy', { status: 'False', message: 'a' }),
      isNew: true,
    },
    {
      reason: 'the message of such a condition',
      after: aMachine().withCondition('EtcdPodHealthy', { status: 'True', message: 'b' }),
      isNew: false,
    },
    { reason: 'a summary', after: aMachine().withCondition('Ready', { status: 'False' }), isNew: false },
    {
      reason: 'the message of a condition that a check writes',
      after: aMachine().withCondition('HealthCheckSucceeded', { status: 'True', message: 'by hand' }),
      isNew: true,
    },
    { reason: 'its deprecated form', after: aMachine().withStatus(deprecated('OwnerRemediated')), isNew: true },
    { reason: 'another deprecated condition', after: aMachine().withStatus(deprecated('Ready')), isNew: false },
    {
      reason: 'its addresses',
      after: aMachine().withStatus({ addresses: [{ type: 'A', address: 'b' }] }),
      isNew: false,
    },
  ])('is forwarded for $reason: $isNew', ({ after, isNew }) => {
    expect(contentOf?.(after.build()) !== contentOf?.(aMachine().build())).toBe(isNew);
  });
});
