import { noOutcomes, noProgress } from '@capi-serverless/reconciler';
import { describe, expect, it } from 'vitest';
import { type HandOverFacts, handOverPhase } from '../../../../../functions/machineset/phases/in-place/hand-over.ts';
import { conclude } from '../../../../../functions/machineset/phases/pass-progress.ts';
import { readWholeMachineSet } from '../../../../../shared/api/machine-set/whole-machine-set.ts';
import { aMachine, aMachineSet } from '../../../../support/builders.ts';
import { performed, toMachines } from '../remediation/remediation-pass.ts';

const inPlace = 'in-place-updates.internal.cluster.x-k8s.io';
const source = aMachineSet().annotated({ [`${inPlace}/move-machines-to-machineset`]: 'ms2' });
const other = { apiVersion: 'v1', kind: 'ConfigMap', name: 'other', uid: 'u-other' };
const [m1, m2, m3] = toMachines(
  ['m1', 'm2', 'm3'].map(name =>
    aMachine()
      .named(name)
      .atResourceVersion('7')
      .ownedBy({ ...other, metadata: { ...other, resourceVersion: '1' } })
      .ownedBy(source, { controller: true, blockOwnerDeletion: true }),
  ),
);

const target = (receives = 'ms1,ms3', labels = { 'machine-template-hash': '456' }) =>
  ({
    state: 'found',
    target: readWholeMachineSet(
      aMachineSet()
        .named('ms2')
        .labelled(labels)
        .annotated({ [`${inPlace}/receive-machines-from-machinesets`]: receives })
        .build(),
    ),
  }) as const;

function phaseOf(given: Partial<HandOverFacts> = {}) {
  return handOverPhase({
    ...{
      machineSet: readWholeMachineSet(source.build()),
      target: target(),
      deleted: [],
      moved: [],
      written: new Set(),
    },
    ...given,
  });
}

const list = <T>(...items: readonly (T | undefined)[]): readonly T[] => items.filter(item => item !== undefined);

describe('the hand-over of Machines', () => {
  it('changes controller, label and annotations in one locked patch', () => {
    const phase = phaseOf({ moved: list(m1) });
    expect(phase.actions).toEqual([
      {
        ...{ id: 'move:m1', onError: 'continue', do: 'patch', resourceVersion: '7' },
        ref: { apiVersion: 'cluster.x-k8s.io/v1beta2', kind: 'Machine', namespace: 'ns', name: 'm1' },
        body: {
          metadata: {
            ownerReferences: [
              other,
              {
                ...{ apiVersion: 'cluster.x-k8s.io/v1beta2', kind: 'MachineSet', name: 'ms2' },
                ...{ uid: 'uid-of-machineset-ms2', controller: true },
              },
            ],
            labels: { 'machine-template-hash': '456' },
            annotations: { [`${inPlace}/update-in-progress`]: '', [`${inPlace}/pending-acknowledge-move`]: '' },
          },
        },
      },
    ]);
    expect(conclude(phase, noOutcomes)).toEqual(noProgress);
  });

  it('deletes unhealthy Machines instead', () => {
    const [action] = phaseOf({ deleted: list(m1) }).actions;
    expect(action).toMatchObject({ id: 'move:m1', onError: 'continue', do: 'delete', uid: 'uid-of-machine-m1' });
    expect(action?.toEvent?.(undefined)).toEqual({
      ...{ type: 'Normal', reason: 'SuccessfulDelete', message: 'Deleted Machine "m1"' },
    });
  });

  it('waits for Machines that an earlier phase wrote', () => {
    const phase = phaseOf({ moved: list(m1, m2), written: new Set(['m1']) });
    expect(phase.actions.map(({ id }) => id)).toEqual(['move:m2']);
    expect(conclude(phase, noOutcomes)).toEqual({ ...noProgress, again: true });
  });

  it('of a Machine without owner references changes none', () => {
    const bare = toMachines([aMachine()]);
    const [action] = phaseOf({ moved: bare }).actions;
    expect(action).toMatchObject({ body: { metadata: { ownerReferences: [] } } });
  });

  it.each<{
    readonly given: Partial<HandOverFacts>;
    readonly ids: readonly string[];
    readonly errors: readonly string[];
    readonly reason: string;
  }>([
    {
      given: { target: { state: 'failed', problem: 'gone' }, moved: list(m1) },
      ids: [],
      errors: ['failed to get MachineSet ms2, which is the target for the move operation: gone'],
      reason: 'no target',
    },
    {
      given: { target: { state: 'failed', problem: 'gone' }, machineSet: readWholeMachineSet(aMachineSet().build()) },
      ids: [],
      errors: ['failed to get MachineSet , which is the target for the move operation: gone'],
      reason: 'no annotation',
    },
    {
      given: { target: target('ms3,ms4'), moved: list(m1), deleted: list(m2) },
      ids: [],
      errors: ['MachineSet ms1 is set to move replicas to ms2, but ms2 only accepts Machines from ms3,ms4'],
      reason: 'the target does not accept',
    },
    {
      given: { target: { ...target(), target: readWholeMachineSet(aMachineSet().named('ms2').build()) } },
      ids: [],
      errors: ['MachineSet ms1 is set to move replicas to ms2, but ms2 only accepts Machines from '],
      reason: 'the target accepts nothing',
    },
    {
      given: {
        target: {
          state: 'found',
          target: { ...target().target, metadata: { ...target().target.metadata, labels: {} } },
        },
        ...{ moved: list(m1), deleted: list(m2) },
      },
      ids: ['move:m2'],
      errors: ['MachineSet ms2 does not have the machine-template-hash label'],
      reason: 'no hash: the deletions are still made',
    },
    {
      given: {
        target: {
          state: 'found',
          target: { ...target().target, metadata: { ...target().target.metadata, labels: {} } },
        },
        deleted: list(m2),
      },
      ids: ['move:m2'],
      errors: [],
      reason: 'no hash, and no Machine to move',
    },
    {
      given: { moved: list(m1, m3), deleted: list(m2) },
      ids: ['move:m2', 'move:m1', 'move:m3'],
      errors: [
        'failed to delete Machine ns/m2 (tried to delete the Machine instead of moving it to MachineSet ns/ms2 because Machine is marked for remediation): boom',
        'failed to trigger in-place update for Machine ns/m1 by moving to MachineSet ns/ms2: boom',
      ],
      reason: 'failed writes do not stop others',
    },
  ])('reports $errors ($reason)', ({ given, ids, errors }) => {
    const phase = phaseOf(given);
    const run = performed(phase, 'move:m1', 'move:m2');
    expect(run.ids).toEqual(ids);
    const failing = conclude(phase, reportsDeletes(errors) ? run.outcomes : noOutcomes);
    expect(failing.errors).toEqual(errors.map(error => `failed to sync replicas: ${error}`));
  });
});

/** Whether a case expects that the writes failed. */
function reportsDeletes(errors: readonly string[]): boolean {
  return errors.some(error => error.includes('boom'));
}
