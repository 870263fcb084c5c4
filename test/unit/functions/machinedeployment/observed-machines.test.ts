// What a plan reads from Machines and MachineSets: moved Machines, updates in progress, counts.
import type { OwnerReference } from '@capi-serverless/apimachinery';
import { describe, expect, it } from 'vitest';
import {
  acknowledgedBy,
  isAnyUpdating,
  pendingMoves,
  receivesFrom,
} from '../../../../functions/machinedeployment/plan/moves.ts';
import { countsOf } from '../../../../functions/machinedeployment/plan/rollout-sets.ts';
import { readWholeMachine } from '../../../../shared/api/machine/whole-machine.ts';
import { readWholeMachineSet } from '../../../../shared/api/machine-set/whole-machine-set.ts';
import { testStart } from '../../../support/object-builder.ts';
import { aSet, DeploymentTestObject, type SetParts } from './deployment-with-sets.ts';

const inPlace = 'in-place-updates.internal.cluster.x-k8s.io';
const pending = { [`${inPlace}/pending-acknowledge-move`]: '' };
const core = 'cluster.x-k8s.io/v1beta2';
const owner: OwnerReference = { apiVersion: core, kind: 'MachineSet', name: 'ms1', uid: 'u-ms1', controller: true };

function aMachine(annotations: Readonly<Record<string, string>>, owners?: readonly OwnerReference[]) {
  const machine = new DeploymentTestObject({ apiVersion: core, kind: 'Machine', name: 'm1' }).annotated(annotations);
  return readWholeMachine((owners === undefined ? machine : machine.owners(...owners)).build());
}

function readSet(
  parts: SetParts,
  change: (set: DeploymentTestObject) => DeploymentTestObject = same => same,
): ReturnType<typeof readWholeMachineSet> {
  const [set] = aSet(1, parts, change);
  return readWholeMachineSet((set as DeploymentTestObject).build()); // true: the first object is the MachineSet
}

describe('a Machine that waits for its acknowledgement', () => {
  it.each<{ readonly reason: string; readonly owners?: readonly OwnerReference[]; readonly is: boolean }>([
    { reason: 'of the MachineSet', owners: [owner], is: true },
    { reason: 'of the MachineSet in another version', owners: [{ ...owner, apiVersion: `${core}x` }], is: true },
    { reason: 'with another owner, too', owners: [{ ...owner, name: 'o', controller: false }, owner], is: true },
    { reason: 'of another MachineSet', owners: [{ ...owner, name: 'ms2' }], is: false },
    { reason: 'of another kind', owners: [{ ...owner, kind: 'MachinePool' }], is: false },
    { reason: 'of another group', owners: [{ ...owner, apiVersion: 'apps/v1' }], is: false },
    { reason: 'whose owner is no controller', owners: [{ ...owner, controller: false }], is: false },
    { reason: 'without owner', is: false },
  ])('$reason: $is', ({ owners, is }) => {
    expect(pendingMoves('ms1', [aMachine(pending, owners)])).toEqual(is ? ['m1'] : []);
    expect(pendingMoves('ms1', [aMachine({}, owners)])).toEqual([]);
  });
});

describe('the names in annotations of a MachineSet', () => {
  it.each([
    { list: undefined, names: [] },
    { list: '', names: [] },
    { list: 'a', names: ['a'] },
    { list: 'a,,b,', names: ['a', 'b'] },
  ])('$list are $names', ({ list, names }) => {
    const marked = (key: string) =>
      readSet({ spec: 1 }, set => (list === undefined ? set : set.annotated({ [`${inPlace}/${key}`]: list })));
    expect(acknowledgedBy(marked('acknowledged-move'))).toEqual(names);
    expect(receivesFrom(marked('receive-machines-from-machinesets'))).toEqual(names);
  });
});

it.each([
  { machines: [], is: false },
  { machines: [{}], is: false },
  { machines: [{}, { [`${inPlace}/update-in-progress`]: '' }], is: true },
  { machines: [{ 'runtime.cluster.x-k8s.io/pending-hooks': 'UpdateMachine' }, {}], is: true },
  { machines: [{ 'runtime.cluster.x-k8s.io/pending-hooks': 'Other' }], is: false },
])('an update in place is in progress: $is ($machines)', ({ machines, is }) => {
  expect(isAnyUpdating(machines.map(annotations => aMachine(annotations)))).toBe(is);
});

describe('the counts of a MachineSet', () => {
  const machinesOf = (parts: SetParts) =>
    aSet(1, parts)
      .slice(1)
      .map(each => readWholeMachine(each.build()));
  const counts = { name: 'ms1', createdAt: testStart, spec: 3, status: 3, available: 2, upToDate: 3 };

  it.each<{ readonly reason: string; readonly set: SetParts; readonly read: SetParts; readonly is: object }>([
    { reason: 'its own', set: { spec: 3, available: 2 }, read: { spec: 3, available: 2 }, is: {} },
    {
      reason: 'more Machines than it reports',
      set: { spec: 3, status: 1, available: 1 },
      read: { spec: 3 },
      is: { available: 1, upToDate: 1 },
    },
    {
      reason: 'fewer Machines than it reports',
      set: { spec: 3 },
      read: { spec: 1 },
      is: { available: 1 },
    },
    {
      reason: 'fewer available Machines than it reports',
      set: { spec: 3 },
      read: { spec: 3, available: 0 },
      is: { available: 0 },
    },
  ])('are $reason', ({ set, read, is }) => {
    expect(countsOf(readSet(set), machinesOf(read))).toEqual({ ...counts, ...is });
  });

  it('are 0 for what is not reported, and do not include Machines of others', () => {
    const silent = readSet({ spec: 3 }, set =>
      set.withSpec({ replicas: undefined }).withStatus({
        replicas: undefined,
        availableReplicas: undefined,
        upToDateReplicas: undefined,
      }),
    );
    const foreign = aSet(2, { spec: 2 })
      .slice(1)
      .map(each => readWholeMachine(each.build()));
    const none = { spec: 0, status: 0, available: 0, upToDate: 0 };
    expect(countsOf(silent, foreign)).toEqual({ ...counts, ...none });
  });
});
