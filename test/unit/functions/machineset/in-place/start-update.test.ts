import { type Intent, invalid, type Unstructured, valid } from '@capi-serverless/apimachinery';
import { noOutcomes, noProgress, type Outcome } from '@capi-serverless/reconciler';
import { describe, expect, it } from 'vitest';
import { startUpdatePhase } from '../../../../../functions/machineset/phases/in-place/start-update.ts';
import { conclude } from '../../../../../functions/machineset/phases/pass-progress.ts';
import type { MachineMember } from '../../../../../functions/machineset/seen.ts';
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
} from '../propagation/members.ts';
import { performed } from '../remediation/remediation-pass.ts';

const inPlace = 'in-place-updates.internal.cluster.x-k8s.io';
const requested = { [`${inPlace}/update-in-progress`]: '' };
const moved = { ...requested, [`${inPlace}/pending-acknowledge-move`]: '' };
const origin = { 'cluster.x-k8s.io/cloned-from-name': 'it1', 'cluster.x-k8s.io/cloned-from-groupkind': 'T.g' };

const aStarting = (name: string) => aStoredMachine(name).annotated(requested);
const starting = (name: string, objects: Partial<MachineMember> = {}) =>
  memberOf(foreign(aStarting(name).build()), objects);

const cloneOf = (kind: string, group: string) => (name: string) =>
  valid<Intent>({
    apiVersion: `${group}.cluster.x-k8s.io/v1`,
    kind,
    metadata: { name, namespace: 'ns', labels: { a: 'b' }, annotations: { ...origin, more: '1' } },
    spec: { size: 2 },
  });

function phaseOf(members: readonly MachineMember[], given: Partial<Parameters<typeof startUpdatePhase>[0]> = {}) {
  return startUpdatePhase({
    ...{ machineSet: setWith(), members, metadata, written: new Set<string>() },
    cloneInfrastructure: cloneOf('FooMachine', 'infrastructure'),
    cloneBootstrap: cloneOf('FooConfig', 'bootstrap'),
    ...given,
  });
}

const idsOf = (name: string) => [
  `start:${name}:FooMachine`,
  `start:${name}:FooConfig`,
  `start:${name}:Machine`,
  `start:${name}`,
];
const boom = { reason: 'InternalError', message: 'boom' } as const;

describe('the start of an in-place update', () => {
  it('applies infrastructure, bootstrap config and Machine with uid and resourceVersion', () => {
    const { actions } = phaseOf([starting('m1')]);
    expect(actions.map(({ id }) => id)).toEqual(idsOf('m1'));
    const { controller: _, blockOwnerDeletion: _block, ...owner } = metadata.owner;
    const annotations = { ...origin, ...requested };
    expect(actions.slice(0, 2)).toMatchObject([
      {
        ...{ do: 'apply', onError: 'continue', manager: 'capi-machineset', uid: 'uid-of-foomachine-m1' },
        object: {
          kind: 'FooMachine',
          spec: { size: 2 },
          metadata: { uid: 'uid-of-foomachine-m1', resourceVersion: '1' },
        },
      },
      { do: 'apply', manager: 'capi-machineset', uid: 'uid-of-fooconfig-m1', object: { kind: 'FooConfig' } },
    ]);
    const [first] = actions;
    expect(first?.do === 'apply' && first.object.metadata).toEqual({
      ...{ name: 'm1', namespace: 'ns', uid: 'uid-of-foomachine-m1', resourceVersion: '1', annotations },
      ownerReferences: [owner],
    });
    expect(actions[2]).toMatchObject({
      ...{ do: 'apply', onError: 'continue', manager: 'capi-machineset', uid: 'uid-of-machine-m1' },
      object: {
        metadata: { resourceVersion: '7', labels: metadata.labels },
        spec: { version: 'v1.32.0', failureDomain: 'fd2', infrastructureRef: { kind: 'SimulatedMachine' } },
      },
    });
  });

  it('removes version and failure domain that the template does not have', () => {
    const machineSet = setWith({ version: undefined, failureDomain: undefined });
    const action = phaseOf([starting('m1')], { machineSet }).actions[2];
    const spec = action?.do === 'apply' ? (action.object['spec'] as object) : {}; // true: the intent of a Machine has a spec
    expect(['version' in spec, 'failureDomain' in spec]).toEqual([false, false]);
  });

  it('does not own an object that its Machine owns', () => {
    const owned = foreign(aFooMachine('m1').ownedBy(aStarting('m1')).build());
    const [action] = phaseOf([starting('m1', { infrastructure: found(owned) })]).actions;
    expect(action?.do === 'apply' && 'ownerReferences' in action.object.metadata).toBe(false);
  });

  it('of a cluster-scoped object names no namespace', () => {
    const cloneInfrastructure = () => valid<Intent>({ apiVersion: 'v1', kind: 'FooMachine', metadata: { name: 'm1' } });
    const [action] = phaseOf([starting('m1')], { cloneInfrastructure }).actions;
    expect(action?.do === 'apply' && 'namespace' in action.object.metadata).toBe(false);
  });

  it('marks the hook as pending, at the version of the apply, with an Event on the Machine', () => {
    const machine = foreign(aStoredMachine('m1').annotated(moved).build());
    const action = phaseOf([memberOf(machine)]).actions[3];
    const hooks = { 'runtime.cluster.x-k8s.io/pending-hooks': 'UpdateMachine' };
    expect(action).toMatchObject({
      ...{ id: 'start:m1', do: 'patch', onError: 'continue', ref: { kind: 'Machine', name: 'm1' } },
      body: { metadata: { annotations: { ...hooks, [`${inPlace}/pending-acknowledge-move`]: null } } },
    });
    expect(action?.toEvent?.(undefined)).toEqual({
      ...{ type: 'Normal', reason: 'SuccessfulStartInPlaceUpdate', message: 'Machine starting in-place update' },
      about: machine,
    });
    const version = action?.do === 'patch' ? action.resourceVersion : undefined;
    const versionAfter = (outcome?: Outcome) =>
      typeof version === 'function' && version(new Map(outcome === undefined ? [] : [['start:m1:Machine', outcome]]));
    const applied: Unstructured = { ...machine, metadata: { ...machine.metadata, resourceVersion: '8' } };
    expect([
      versionAfter({ state: 'done', object: applied }),
      versionAfter({ state: 'done' }),
      versionAfter({ state: 'failed', failure: boom }),
      versionAfter(),
    ]).toEqual(['8', '7', '7', '7']);
  });

  it('removes no annotation that is not there', () => {
    const action = phaseOf([starting('m1')]).actions[3];
    expect(action?.do === 'patch' && action.body).toEqual({
      metadata: { annotations: { 'runtime.cluster.x-k8s.io/pending-hooks': 'UpdateMachine' } },
    });
  });

  it.each<{
    readonly members: readonly MachineMember[];
    readonly written?: string;
    readonly ids: readonly string[];
    readonly again?: true;
    readonly reason: string;
  }>([
    { members: [memberOf(aStoredMachine('m1').build())], ids: [], reason: 'not requested' },
    { members: [starting('m1'), starting('m2')], ids: [...idsOf('m1'), ...idsOf('m2')], reason: 'two Machines' },
    { members: [starting('m1')], written: 'm1', ids: [], again: true, reason: 'an earlier phase wrote the Machine' },
    {
      members: [starting('m1', { bootstrap: { state: 'undefined' } })],
      ids: idsOf('m1').filter(id => !id.endsWith('FooConfig')),
      reason: 'no bootstrap config',
    },
  ])('has the writes $ids ($reason)', ({ members, written = '', ids, again }) => {
    const phase = phaseOf(members, { written: new Set([written]) });
    expect(phase.actions.map(({ id }) => id)).toEqual(ids);
    expect(conclude(phase, noOutcomes)).toEqual({ ...noProgress, again: again === true });
  });

  it('leaves out applies that change nothing', () => {
    const [first] = phaseOf([starting('m1')]).actions;
    const object = aFooConfig('m1').build();
    const applied =
      first?.do === 'apply' ? settled(aFooMachine('m1').build(), first.object, 'capi-machineset') : object;
    const phase = phaseOf([starting('m1', { infrastructure: found(applied) })]);
    expect(phase.actions.map(({ id }) => id)).toEqual(idsOf('m1').slice(1));
  });
});

describe('an error of one Machine', () => {
  const ref = { apiGroup: 'i', kind: 'FooMachine', name: 'm1' };
  const unread = { state: 'failed', ref, problem: 'gone' } as const;
  const complete = 'failed to complete triggering in-place update for Machine ns/m1';

  it.each([
    {
      failing: 'start:m1:FooMachine',
      ids: idsOf('m1').slice(0, 1),
      error: `${complete}: failed to apply FooMachine: boom`,
    },
    {
      failing: 'start:m1:FooConfig',
      ids: idsOf('m1').slice(0, 2),
      error: `${complete}: failed to apply FooConfig: boom`,
    },
    { failing: 'start:m1:Machine', ids: idsOf('m1').slice(0, 3), error: `${complete}: failed to apply Machine: boom` },
    { failing: 'start:m1', ids: idsOf('m1'), error: `${complete}: boom` },
  ])('stops this Machine, and no other: $error', ({ failing, ids, error }) => {
    const phase = phaseOf([starting('m1'), starting('m2')]);
    const run = performed(phase, failing);
    expect(run.ids).toEqual([...ids, ...idsOf('m2')]);
    expect(conclude(phase, run.outcomes).errors).toEqual([`failed to trigger in-place update: ${error}`]);
  });

  it.each<{ readonly objects: Partial<MachineMember>; readonly error: string }>([
    { objects: { infrastructure: unread }, error: 'failed to get InfraMachine ns/m1: gone' },
    { objects: { bootstrap: unread }, error: 'failed to get BootstrapConfig ns/m1: gone' },
  ])('leaves the Machine as it is: $error', ({ objects, error }) => {
    const phase = phaseOf([starting('m1', objects), starting('m2')]);
    expect(phase.actions.map(({ id }) => id)).toEqual(idsOf('m2'));
    expect(conclude(phase, noOutcomes).errors).toEqual([`failed to trigger in-place update: ${error}`]);
  });

  it.each(['InfraMachine', 'BootstrapConfig'])('may be a template of the %s that does not exist', title => {
    const clone = title === 'InfraMachine' ? 'cloneInfrastructure' : 'cloneBootstrap';
    const phase = phaseOf([starting('m1')], { [clone]: () => invalid('gone') });
    expect(phase.actions).toEqual([]);
    expect(conclude(phase, noOutcomes).errors).toEqual([
      `failed to trigger in-place update: could not compute desired ${title}: failed to compute desired ${title}: gone`,
    ]);
  });
});
