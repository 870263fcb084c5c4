import { expect, test } from 'vitest';
import { sortConditions } from '../../../../../packages/cluster-api/conditions/sort.ts';

const known =
  'Available Ready UpToDate RemoteConnectionProbe BootstrapConfigReady InfrastructureReady ControlPlaneInitialized ControlPlaneAvailable WorkersAvailable CertificatesAvailable Initialized EtcdClusterHealthy ControlPlaneComponentsHealthy NodeHealthy NodeReady NodeKubeadmLabelsAndTaintsSet EtcdPodHealthy EtcdMemberHealthy APIServerPodHealthy ControllerManagerPodHealthy SchedulerPodHealthy HealthCheckSucceeded OwnerRemediated TopologyReconciled Updating RollingOut Remediating ScalingDown ScalingUp MachinesReady ControlPlaneMachinesReady WorkerMachinesReady MachinesUpToDate ControlPlaneMachinesUpToDate WorkerMachinesUpToDate'.split(
    ' ',
  );

function typesOf(types: readonly string[]): readonly string[] {
  return sortConditions(types.map(type => ({ type }))).map(({ type }) => type);
}

test('known types are sorted in their documented order', () => {
  expect(typesOf(known.toReversed())).toEqual(known);
});

test('every known type sorts before any other', () => {
  expect(typesOf(['AnotherType', ...known.toReversed()])).toEqual([...known, 'AnotherType']);
});

test('other types sort by name between the known ones and Paused, Deleting', () => {
  expect(typesOf(['Deleting', 'VariablesReady', 'Paused', 'RefVersionsUpToDate', 'a', 'Ready'])).toEqual([
    'Ready',
    'RefVersionsUpToDate',
    'VariablesReady',
    'a',
    'Paused',
    'Deleting',
  ]);
});

test('is stable for equal types', () => {
  const list = [
    { type: 'X', at: 1 },
    { type: 'X', at: 2 },
  ];
  expect(sortConditions(list)).toEqual(list);
});
