import { expect, it } from 'vitest';
import { startsUpdate } from '../../../../../functions/machineset/phases/in-place/start-update.ts';
import { readWholeMachine } from '../../../../../shared/api/machine/whole-machine.ts';
import { readWholeMachineSet } from '../../../../../shared/api/machine-set/whole-machine-set.ts';
import { aMachine, aMachineSet } from '../../../../support/builders.ts';

const inPlace = 'in-place-updates.internal.cluster.x-k8s.io';
const requested = { [`${inPlace}/update-in-progress`]: '' };
const moved = { ...requested, [`${inPlace}/pending-acknowledge-move`]: '' };
const receiving = { [`${inPlace}/receive-machines-from-machinesets`]: 'ms2' };
const acknowledging = (names: string) => ({ ...receiving, [`${inPlace}/acknowledged-move`]: names });

it.each([
  { machine: {}, set: {}, is: false, reason: 'no update is requested' },
  { machine: requested, set: receiving, is: true, reason: 'requested, and nothing to acknowledge' },
  {
    machine: { ...requested, 'runtime.cluster.x-k8s.io/pending-hooks': 'UpdateMachine' },
    set: {},
    is: false,
    reason: 'it has started',
  },
  { machine: moved, set: receiving, is: false, reason: 'not acknowledged' },
  { machine: moved, set: acknowledging('m2'), is: false, reason: 'another one is acknowledged' },
  { machine: moved, set: acknowledging('m2,m1'), is: true, reason: 'acknowledged' },
  { machine: moved, set: {}, is: true, reason: 'nothing is received any more' },
  {
    machine: moved,
    set: { [`${inPlace}/receive-machines-from-machinesets`]: '' },
    is: true,
    reason: 'an empty list receives nothing',
  },
])('a Machine starts its update: $is ($reason)', ({ machine, set, is }) => {
  const found = readWholeMachine(aMachine().annotated(machine).build());
  expect(startsUpdate(found, readWholeMachineSet(aMachineSet().annotated(set).build()))).toBe(is);
});
