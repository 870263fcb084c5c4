import { noProgress } from '@capi-serverless/reconciler';
import { describe, expect, it } from 'vitest';
import { conclude } from '../../../../../functions/machineset/phases/pass-progress.ts';
import {
  existingMachine,
  objectMetadata,
} from '../../../../../functions/machineset/phases/propagation/existing-machine.ts';
import { propagationPhase } from '../../../../../functions/machineset/phases/propagation/propagation.ts';
import type { MachineMember } from '../../../../../functions/machineset/seen.ts';
import { readWholeMachine } from '../../../../../shared/api/machine/whole-machine.ts';
import { performed } from '../remediation/remediation-pass.ts';
import {
  aFooConfig,
  aFooMachine,
  aStoredMachine,
  foreign,
  found,
  memberOf,
  metadata,
  settled,
  setWith,
  withFields,
} from './members.ts';

const machineSet = setWith();
const m1 = foreign(aStoredMachine('m1').build());
const m2 = foreign(aStoredMachine('m2').build());
const ref = { apiGroup: 'i', kind: 'FooMachine', name: 'm1' };
const unread = { state: 'failed', ref, problem: 'gone' } as const;
const old = {
  ...{ manager: 'capi-machineset', operation: 'Apply', apiVersion: 'v' },
  fieldsV1: { 'f:metadata': { 'f:labels': { 'f:cluster.x-k8s.io/cluster-name': {} } } },
};

function phaseOf(members: readonly MachineMember[], ...written: readonly string[]) {
  return propagationPhase({ machineSet, members, metadata, written: new Set(written) });
}

function settledMember(): MachineMember {
  const machine = aStoredMachine('m1').withFinalizers('machine.cluster.x-k8s.io').build();
  const intent = existingMachine(readWholeMachine(machine), machineSet, metadata);
  const apply = (object: typeof machine) =>
    settled(object, objectMetadata(object, metadata), 'capi-machineset-metadata');
  return memberOf(settled(machine, intent, 'capi-machineset'), {
    infrastructure: found(apply(aFooMachine('m1').build())),
    bootstrap: found(apply(aFooConfig('m1').build())),
  });
}

const all = ['sync:m1', 'sync:m1:InfrastructureMachine', 'sync:m1:BootstrapConfig'];

describe('the writes to existing Machines', () => {
  it.each<{
    readonly members: readonly MachineMember[];
    readonly written?: string;
    readonly ids: readonly string[];
    readonly reason: string;
  }>([
    { members: [], ids: [], reason: 'no Machines' },
    { members: [settledMember()], ids: [], reason: 'a settled Machine' },
    { members: [memberOf(m1)], ids: all, reason: 'the Machine, then its objects' },
    {
      members: [memberOf(m1, { bootstrap: { state: 'undefined' } })],
      ids: all.slice(0, 2),
      reason: 'no bootstrap config',
    },
    { members: [memberOf(m1)], written: 'm1', ids: [], reason: 'an earlier phase wrote the Machine' },
    {
      members: [memberOf(m1), memberOf(m2)],
      written: 'm1',
      ids: all.map(id => id.replace('m1', 'm2')),
      reason: 'another one',
    },
    { members: [memberOf(aStoredMachine('m1').deleting().build())], ids: ['sync:m1'], reason: 'in deletion' },
    {
      members: [
        memberOf(
          aStoredMachine('m1')
            .deleting()
            .withSpec({
              ...{ minReadySeconds: 5, taints: [{ key: 'k', effect: 'NoSchedule', propagation: 'Always' }] },
              deletion: { nodeDrainTimeoutSeconds: 60, nodeDeletionTimeoutSeconds: 10 },
            })
            .build(),
        ),
      ],
      ids: [],
      reason: 'in deletion and settled',
    },
    {
      members: [memberOf(m1, { infrastructure: unread }), memberOf(m2)],
      ids: ['sync:m1'],
      reason: 'an unreadable object',
    },
    {
      members: [memberOf(m1), memberOf(aStoredMachine('m2').build())],
      ids: ['sync:m2'],
      reason: 'a repair of lost managed fields is made alone',
    },
  ])('$ids ($reason)', ({ members, written = 'none', ids }) => {
    const phase = phaseOf(members, written);
    expect(phase.actions.map(({ id }) => id)).toEqual(ids);
    expect([...phase.written]).toEqual([...new Set([written, ...ids.map(id => id.split(':')[1])])]);
  });

  it('are applies with uid, by the two managers; only that of the Machine has a resourceVersion', () => {
    expect(phaseOf([memberOf(m1)]).actions).toMatchObject([
      {
        ...{ do: 'apply', onError: 'continue', manager: 'capi-machineset', uid: 'uid-of-machine-m1' },
        object: { kind: 'Machine', metadata: { uid: 'uid-of-machine-m1', resourceVersion: '7' }, spec: {} },
      },
      {
        ...{ do: 'apply', onError: 'continue', manager: 'capi-machineset-metadata', uid: 'uid-of-foomachine-m1' },
        object: { kind: 'FooMachine', metadata: { uid: 'uid-of-foomachine-m1' } },
      },
      {
        ...{ do: 'apply', onError: 'continue', manager: 'capi-machineset-metadata', uid: 'uid-of-fooconfig-m1' },
        object: { kind: 'FooConfig', metadata: { uid: 'uid-of-fooconfig-m1' } },
      },
    ]);
  });

  it('are one locked patch for a Machine in deletion', () => {
    const [action] = phaseOf([memberOf(aStoredMachine('m1').deleting().build())]).actions;
    expect(action).toMatchObject({
      ...{ do: 'patch', onError: 'continue', resourceVersion: '7', ref: { kind: 'Machine', name: 'm1' } },
      body: { spec: { minReadySeconds: 5, deletion: { nodeDeletionTimeoutSeconds: 10 } } },
    });
  });

  it('repair lost managed fields of all objects, and end the pass', () => {
    const lost = memberOf(aStoredMachine('m1').build(), {
      infrastructure: found(aFooMachine('m1').build()),
      bootstrap: found(withFields(aFooConfig('m1').build(), old)),
    });
    const phase = phaseOf([lost]);
    expect(phase.endsPass).toBe(true);
    expect(conclude(phase, performed(phase).outcomes)).toEqual({ ...noProgress, requeues: [1000] });
    expect(phase.actions).toMatchObject([
      {
        ...{ id: 'sync:m1', do: 'patch', onError: 'continue', resourceVersion: '7' },
        body: { metadata: { managedFields: [{ manager: 'capi-machineset', operation: 'Apply' }] } },
      },
      {
        ...{ id: 'sync:m1:InfrastructureMachine', do: 'patch', onError: 'continue', resourceVersion: '1' },
        body: { metadata: { managedFields: [{ manager: 'capi-machineset-metadata', operation: 'Apply' }] } },
      },
    ]);
  });

  it('migrate objects of older versions, and apply in the next pass', () => {
    const object = withFields(aFooMachine('m1').build(), old);
    const phase = phaseOf([memberOf(m1, { infrastructure: found(object) })]);
    expect(phase.endsPass).toBe(false);
    expect(phase.actions.map(action => [action.id, action.do])).toEqual([
      ['sync:m1', 'apply'],
      ['sync:m1:InfrastructureMachine', 'patch'],
      ['sync:m1:BootstrapConfig', 'apply'],
    ]);
    expect(conclude(phase, performed(phase).outcomes)).toEqual({ ...noProgress, again: true });
  });
});

describe('an error of the propagation', () => {
  const migrated = memberOf(m1, { bootstrap: found(withFields(aFooConfig('m1').build(), old)) });
  it.each<{
    readonly members: readonly MachineMember[];
    readonly failing: string;
    readonly ids: readonly string[];
    readonly error: string;
  }>([
    {
      members: [memberOf(m1)],
      failing: 'sync:m1',
      ids: all.slice(0, 1),
      error: 'failed to update Machine "ns/m1": failed to apply Machine: boom',
    },
    {
      members: [memberOf(m1), memberOf(m2)],
      failing: 'sync:m1:InfrastructureMachine',
      ids: all.slice(0, 2),
      error: 'failed to update InfrastructureMachine ns/m1: boom',
    },
    {
      members: [memberOf(m1)],
      failing: 'sync:m1:BootstrapConfig',
      ids: all,
      error: 'failed to update BootstrapConfig ns/m1: boom',
    },
    {
      members: [migrated],
      failing: 'sync:m1:BootstrapConfig',
      ids: all,
      error: 'failed to clean up managedFields of BootstrapConfig ns/m1: boom',
    },
    { members: [memberOf(aStoredMachine('m1').build())], failing: 'sync:m1', ids: ['sync:m1'], error: 'boom' },
    {
      members: [memberOf(aStoredMachine('m1').deleting().build())],
      ...{ failing: 'sync:m1', ids: ['sync:m1'], error: 'failed to update Machine "ns/m1": boom' },
    },
    {
      members: [memberOf(m1, { infrastructure: unread })],
      failing: '',
      ids: ['sync:m1'],
      error: 'failed to get InfrastructureMachine FooMachine ns/m1: gone',
    },
    {
      members: [memberOf(m1, { bootstrap: { ...unread, ref: { ...ref, kind: 'FooConfig' } } })],
      failing: '',
      ids: all.slice(0, 2),
      error: 'failed to get BootstrapConfig FooConfig ns/m1: gone',
    },
  ])('ends the phase: $error', ({ members, failing, ids, error }) => {
    const phase = phaseOf(members);
    const run = performed(phase, failing);
    expect(run.ids).toEqual(ids);
    expect(conclude(phase, run.outcomes).errors).toEqual([`failed to sync Machines: ${error}`]);
  });
});
