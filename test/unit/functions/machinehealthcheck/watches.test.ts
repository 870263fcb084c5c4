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

it('an event of a Machine enqueues the MachineHealthChecks of its namespace', () => {
  const { map, matches, scopeOf } = watchOf('Machine');
  const source = { apiVersion: core, kind: 'Machine', namespace: 'ns', name: 'm1' };
  expect(map({ type: 'DELETED', object: machine(1).build() })).toBe('expand');
  expect(matches?.(aCheck().build(), source)).toBe(true);
  expect(matches?.(aCheck().build(), { ...source, namespace: 'other' })).toBe(false);
  expect(matches?.(aCheck().clusterScoped().build(), { apiVersion: core, kind: 'Machine', name: 'm1' })).toBe(true);
  expect(scopeOf?.(source)).toEqual({ namespace: 'ns' });
  expect(scopeOf?.({ apiVersion: core, kind: 'Machine' })).toEqual({});
});
