import { describe, expect, it } from 'vitest';
import { waitOfMachineDeployment } from '../../../../../functions/machinedeployment/why/waits.ts';
import { aNewDeployment, type DeploymentTestObject } from '../deployment-with-sets.ts';

const running = () => aNewDeployment().withStatus({ phase: 'Running' });
const waiting = (change: (deployment: DeploymentTestObject) => DeploymentTestObject) =>
  waitOfMachineDeployment(change(running()).build());

describe('what a MachineDeployment waits for', () => {
  it('is its first reconcile, unless it is paused', () => {
    expect(waitOfMachineDeployment(aNewDeployment().build())?.until).toBe('its first reconcile');
    expect(waitOfMachineDeployment(aNewDeployment().withCondition('Paused').build())?.until).toBe('its pause to end');
  });

  it('is nothing if its conditions are as they should be', () => {
    expect(waiting(deployment => deployment)).toBeUndefined();
    const fine = (deployment: DeploymentTestObject) =>
      deployment
        .withCondition('Paused', { status: 'False' })
        .withCondition('RollingOut', { status: 'False' })
        .withCondition('MachinesReady')
        .withCondition('Available');
    expect(waiting(fine)).toBeUndefined();
  });

  it.each([
    { type: 'Paused', status: 'True', until: 'its pause to end' },
    { type: 'Deleting', status: 'True', until: 'its deletion to end' },
    { type: 'Remediating', status: 'True', until: 'its remediation' },
    { type: 'RollingOut', status: 'True', until: 'its rollout to end' },
    { type: 'ScalingUp', status: 'True', until: 'more Machines' },
    { type: 'ScalingDown', status: 'True', until: 'fewer Machines' },
    { type: 'MachinesReady', status: 'False', until: 'MachinesReady' },
    { type: 'Available', status: 'False', until: 'Available' },
  ] as const)('is $until while $type is $status', ({ type, status, until }) => {
    const wait = waiting(deployment => deployment.withCondition(type, { status }));
    expect(wait?.until).toBe(until);
    expect(wait?.condition?.type).toBe(type);
  });
});
