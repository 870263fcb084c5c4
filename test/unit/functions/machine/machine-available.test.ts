import { describe, expect, it } from 'vitest';
import { availableInMs } from '../../../../functions/machine/conditions/machine-conditions.ts';
import { readWholeMachine } from '../../../../shared/api/machine/whole-machine.ts';
import { aMachine, now } from './scenario-objects.ts';

describe('the time until a Machine is available', () => {
  const machine = readWholeMachine(aMachine().withSpec({ minReadySeconds: 30 }).build());
  const ready = (lastTransitionTime: string) => [
    { type: 'Ready', status: 'True' as const, reason: 'Ready', message: '', lastTransitionTime },
  ];

  it('starts now if the time of Ready cannot be read', () => {
    expect(availableInMs(machine, ready('x'), now)).toBe(30_000);
  });

  it('is unknown before the Machine is ready', () => {
    expect(availableInMs(machine, [], now)).toBeUndefined();
  });
});
