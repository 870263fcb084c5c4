// The plan of one pass over a MachineDeployment: its writes as data, and the MachineSets it chooses.
import type { Unstructured } from '@capi-serverless/apimachinery';
import type { Action, Outcome, Outcomes } from '@capi-serverless/reconciler';
import { describe, expect, it } from 'vitest';
import { namesOf, waitForRestart } from '../../../../functions/machinedeployment/plan/rollout-sets.ts';
import { plan } from '../../../../functions/machinedeployment/plan.ts';
import type { ObservedDeployment } from '../../../../functions/machinedeployment/seen.ts';
import { readWholeMachineSet } from '../../../../shared/api/machine-set/whole-machine-set.ts';
import {
  aConfigTemplate,
  aDeployment,
  aMachineTemplate,
  aSet,
  type DeploymentTestObject,
  machineSpec,
  rolling,
  type SetParts,
} from './deployment-with-sets.ts';
import { digest, type Given, now, seenOf } from './seen.ts';

const revision = 'machinedeployment.clusters.x-k8s.io/revision';
const stale = (number: number, spec: number, more: Partial<SetParts> = {}) =>
  aSet(number, { spec, isStale: true, ...more });
const upToDate = (number: number, spec: number, more: Partial<SetParts> = {}) => aSet(number, { spec, ...more });

const ofRevision = (number: string) => aDeployment().annotated({ [revision]: number });

const found = (ref: (typeof machineSpec)['infrastructureRef'] | object, object: DeploymentTestObject) =>
  ({ state: 'found', ref, object: object.build() }) as ObservedDeployment['infrastructure']; // true: the reference is only reported

function named(name: string): string {
  return name.replace(/md1-.{5}$/, 'md1-xxxxx');
}

function linesOf(actions: readonly Action[]): readonly string[] {
  return actions.map(({ id, onError, ...action }) => `${action.do} ${named(id)}, then ${onError}`);
}

const orphan = (number: number) =>
  readWholeMachineSet((upToDate(number, 1)[0] as DeploymentTestObject).owners().build()); // true: the first object is the MachineSet

function withOrphans(given: Given, ...numbers: readonly number[]): ObservedDeployment {
  const seen = seenOf(given);
  return { ...seen, sets: { ...seen.sets, orphans: numbers.map(orphan) } as ObservedDeployment['sets'] }; // true: the MachineSets are listed
}

describe('the writes of a pass', () => {
  const infrastructure = found(machineSpec.infrastructureRef, aMachineTemplate.owners());
  const bootstrap = found(machineSpec.bootstrap.configRef, aConfigTemplate.owners());
  const settled = seenOf({ sets: [upToDate(1, 3)] });
  const lost = { managedFields: [] };

  it.each<{ readonly reason: string; readonly seen: ObservedDeployment; readonly is: readonly string[] }>([
    {
      reason: 'create the MachineSet first, then scale the old ones',
      seen: seenOf({ deployment: ofRevision('2'), sets: [stale(1, 3), stale(2, 2)] }),
      is: [
        'apply apply:md1-xxxxx, then stop',
        'apply apply:ms1, then stop',
        'apply apply:ms2, then stop',
        'patch deployment:revision, then stop',
      ],
    },
    {
      reason: 'begin with the revision if the deployment does not know a MachineSet',
      seen: seenOf({ deployment: ofRevision('1'), sets: [stale(1, 3), stale(2, 2)] }),
      is: [
        'patch deployment:revision, then stop',
        'apply apply:md1-xxxxx, then stop',
        'apply apply:ms1, then stop',
        'apply apply:ms2, then stop',
      ],
    },
    {
      reason: 'begin with the revision if that of the deployment is no number',
      seen: seenOf({ deployment: ofRevision('x'), sets: [upToDate(1, 3)] }),
      is: ['patch deployment:revision, then stop', 'apply apply:ms1, then stop'],
    },
    {
      reason: 'begin with the revision if an earlier MachineSet becomes current',
      seen: seenOf({ deployment: ofRevision('3'), sets: [upToDate(1, 3), stale(2, 0)] }),
      is: ['patch deployment:revision, then stop', 'apply apply:ms1, then stop', 'apply apply:ms2, then stop'],
    },
    {
      reason: 'begin with the owner reference of the deployment',
      seen: seenOf({ deployment: aDeployment().owners(), sets: [] }),
      is: [
        'patch deployment:metadata, then stop',
        'apply apply:md1-xxxxx, then stop',
        'patch deployment:revision, then stop',
      ],
    },
    {
      reason: 'give the templates their owner',
      seen: { ...seenOf({ sets: [] }), infrastructure, bootstrap },
      is: [
        'patch own:infrastructure, then stop',
        'patch own:bootstrap, then stop',
        'apply apply:md1-xxxxx, then stop',
        'patch deployment:revision, then stop',
      ],
    },
    {
      reason: 'leave templates without a Cluster',
      seen: { ...seenOf({ sets: [], deleting: true }), cluster: undefined, infrastructure, bootstrap },
      is: ['patch finalizer:remove, then stop'],
    },
    {
      reason: 'are none after an infrastructure template that could not be read',
      seen: {
        ...seenOf({ sets: [upToDate(1, 3)] }),
        infrastructure: { state: 'failed', ref: machineSpec.infrastructureRef, problem: 'boom' },
        bootstrap,
      },
      is: [],
    },
    {
      reason: 'give the infrastructure template its owner, although the bootstrap template could not be read',
      seen: {
        ...seenOf({ sets: [upToDate(1, 3)] }),
        infrastructure,
        bootstrap: { state: 'failed', ref: machineSpec.bootstrap.configRef, problem: 'boom' },
      },
      is: ['patch own:infrastructure, then stop'],
    },
    {
      reason: 'are none while the rollout is paused before its first MachineSet',
      seen: seenOf({ spec: { paused: true }, sets: [] }),
      is: [],
    },
    {
      reason: 'adopt MachineSets',
      seen: withOrphans({ sets: [upToDate(1, 3)] }, 2, 3),
      is: [
        'patch adopt:ms2, then continue',
        'patch adopt:ms3, then continue',
        'patch deployment:revision, then stop',
        'apply apply:ms1, then stop',
      ],
    },
    {
      reason: 'give MachineSets their label before they are planned',
      seen: seenOf({
        sets: [1, 2].map(number => aSet(number, { spec: 1 }, set => set.onlyLabelled({}))),
      }),
      is: ['patch label:ms1, then stop', 'patch label:ms2, then stop'],
    },
    {
      reason: 'repair managed fields before anything else of the MachineSets',
      seen: {
        ...settled,
        sets: {
          ...settled.sets,
          owned: [1, 2].map(number => {
            const object = (upToDate(number, 1)[0] as DeploymentTestObject).onlyLabelled({}).build(); // true: as above
            return readWholeMachineSet({ ...object, metadata: { ...object.metadata, ...lost } });
          }),
        } as ObservedDeployment['sets'], // true: as above
      },
      is: ['patch repair:ms1, then stop', 'patch repair:ms2, then stop'],
    },
    {
      reason: 'delete all MachineSets with the deployment, without its owner reference',
      seen: seenOf({
        deployment: aDeployment().owners().deleting(),
        sets: [upToDate(1, 3), aSet(2, { spec: 1 }, set => set.deleting()), stale(3, 0)],
      }),
      is: ['delete delete:ms1, then stop', 'delete delete:ms3, then stop'],
    },
  ])('$reason', ({ seen, is }) => {
    expect(linesOf(plan(seen, digest).actions)).toEqual(is);
  });

  it('after an adoption are left to the next pass', () => {
    const { actions } = plan(withOrphans({ sets: [upToDate(1, 3)] }, 2), digest);
    const outcome = (state: 'done' | 'skipped') => new Map<string, Outcome>([['adopt:ms2', { state }]]);
    const allowed = (outcomes: Outcomes) => actions.slice(1).map(({ when }) => when?.(outcomes));
    expect(allowed(outcome('done'))).toEqual([false, false]);
    expect(allowed(outcome('skipped'))).toEqual([true, true]);
    expect(allowed(new Map())).toEqual([true, true]);
  });

  it('create a MachineSet only once, and change an existing one', () => {
    const { actions } = plan(seenOf({ deployment: ofRevision('1'), sets: [stale(1, 3)] }), digest);
    expect(actions.slice(0, 2)).toMatchObject([{ onlyCreate: true }, { uid: 'u-ms1' }]);
    expect(actions[1]).not.toHaveProperty('onlyCreate');
  });

  it('make the deployment the controller of what it adopts', () => {
    const [adopt] = plan(withOrphans({ sets: [] }, 2), digest).actions;
    const owner = { kind: 'MachineDeployment', name: 'md1', uid: 'u-md', controller: true, blockOwnerDeletion: true };
    expect(adopt).toMatchObject({
      body: { metadata: { ownerReferences: [{ apiVersion: 'cluster.x-k8s.io/v1beta2', ...owner }] } },
      resourceVersion: '1',
    });
  });

  it.each<{ readonly reason: string; readonly outcome: Outcome | undefined; readonly is: string }>([
    { reason: 'as it was read', outcome: undefined, is: '1' },
    { reason: 'as its owner reference left it', outcome: { state: 'done', object: versioned('7') }, is: '7' },
    { reason: 'as it was read, if the answer has no object', outcome: { state: 'done' }, is: '1' },
    { reason: 'as it was read, if nothing was written', outcome: { state: 'skipped' }, is: '1' },
  ])('set the revision of the deployment $reason', ({ outcome, is }) => {
    const [write] = plan(seenOf({ sets: [upToDate(1, 3)] }), digest).actions;
    const outcomes = new Map(outcome === undefined ? [] : [['deployment:metadata', outcome]]);
    expect(write).toMatchObject({ body: { metadata: { annotations: { [revision]: '1' } } } });
    const { resourceVersion } = write as { resourceVersion: (outcomes: Outcomes) => string }; // true: it is this patch
    expect(resourceVersion(outcomes)).toBe(is);
  });

  it('do not set a revision that the deployment has', () => {
    const deployment = ofRevision('1');
    expect(linesOf(plan(seenOf({ deployment, sets: [upToDate(1, 3)] }), digest).actions)).toEqual([
      'apply apply:ms1, then stop',
    ]);
  });
});

function versioned(resourceVersion: string): Unstructured {
  return aDeployment().atResourceVersion(resourceVersion).build();
}

describe('the order of old MachineSets', () => {
  it('is their age, not their replicas', () => {
    const at = (number: number, spec: number, time: number) =>
      aSet(number, { spec, isStale: true }, set => set.createdAt(now - time));
    const { stage } = plan(seenOf({ sets: [at(1, 1, 3000), at(2, 5, 1000), at(3, 2, 2000)] }), digest);
    const { sets, writes } = (stage as Extract<typeof stage, { kind: 'rollout' }>).plan; // true: nothing fails here
    expect(sets.old.map(({ counts }) => counts.name)).toEqual(['ms1', 'ms3', 'ms2']);
    expect(writes.map(({ name }) => named(name))).toEqual(['md1-xxxxx', 'ms1', 'ms3', 'ms2']);
  });

  it('includes a MachineSet in deletion, whatever its template', () => {
    const { stage } = plan(seenOf({ sets: [aSet(1, { spec: 3 }, set => set.deleting())] }), digest);
    expect(stage).toMatchObject({ kind: 'rollout', plan: { sets: { current: undefined } } });
  });
});

describe('the reasons of changes', () => {
  const notesOf = (given: Given) => {
    const { stage } = plan(seenOf(given), digest);
    const { notes } = (stage as Extract<typeof stage, { kind: 'rollout' }>).plan; // true: nothing fails here
    return Object.fromEntries([...notes].map(([name, list]) => [named(name), list]));
  };

  it('name the Machines that were moved', () => {
    const current = aSet(2, { spec: 1, status: 2, available: 1 });
    const given = { spec: { replicas: 4 }, sets: [stale(1, 2), current], answers: { ms1: { state: 'yes' } } } as const;
    expect(notesOf({ ...given, pending: ['ms2-m1'] })['ms2']).toContain(
      'acknowledge Machines ms2-m1 moved from an old MachineSet',
    );
    expect(notesOf(given)['ms2'] ?? []).not.toContain(expect.stringContaining('acknowledge'));
  });

  it('are none if nothing changes', () => {
    expect(notesOf({ sets: [upToDate(1, 3)] })).toEqual({});
    expect(notesOf({ sets: [upToDate(1, 3)], updatesInPlace: false })).toEqual({});
    expect(notesOf({ spec: { paused: true }, sets: [] })).toEqual({});
  });
});

describe('the name of a new MachineSet', () => {
  const scheduled = (after: string) => ({ rollout: { ...rolling(1, 0).rollout, after } });
  const created = (given: Given) => {
    const { stage } = plan(seenOf(given), digest);
    return (stage as Extract<typeof stage, { kind: 'rollout' }>).plan.target?.name.name; // true: nothing fails here
  };
  const oneHour = '2026-01-01T01:00:00Z'; // it is now
  const nameFor = (given: Given, isRestart: boolean, number = '2', attempt = 0) =>
    namesOf(seenOf(given).deployment, { revision: number, isRestart }, digest)[attempt]?.name;

  it.each([
    { reason: 'a time that is reached', after: oneHour, isRestart: true },
    { reason: 'a time in the past', after: '2026-01-01T00:30:00Z', isRestart: true },
    { reason: 'a time in the future', after: '2026-01-01T01:00:01Z', isRestart: false },
  ])('depends on $reason: $isRestart', ({ after, isRestart }) => {
    const given = { spec: scheduled(after), sets: [stale(1, 3)] };
    expect(created(given)).toBe(nameFor(given, isRestart));
    expect(nameFor(given, true)).not.toBe(nameFor(given, false));
  });

  it.each([
    { part: 'version', change: { version: 'v1.32.0' } },
    { part: 'failure domain', change: { failureDomain: 'b' } },
    { part: 'bootstrap', change: { bootstrap: { dataSecretName: 's' } } },
    {
      part: 'infrastructure',
      change: { infrastructureRef: { ...machineSpec.infrastructureRef, name: 'it2' } },
    },
  ])('depends on the $part of the template', ({ change }) => {
    const spec = { template: { ...aTemplate, spec: { ...machineSpec, ...change } } };
    expect(created({ spec, sets: [] })).not.toBe(created({ sets: [] }));
  });

  it('is the next one if the first one is taken', () => {
    const seen = seenOf({ sets: [] });
    const [first, second, ...others] = namesOf(seen.deployment, { revision: '1', isRestart: false }, digest);
    const taking = (...names: readonly string[]) =>
      plan({ ...seen, sets: { ...seen.sets, names: new Set(names) } as ObservedDeployment['sets'] }, digest).stage; // true: as above
    const all = [first, second, ...others].map(each => each?.name ?? '');
    expect(taking(first?.name ?? '')).toMatchObject({ plan: { target: { name: { name: second?.name } } } });
    expect(taking(...all)).toEqual({
      kind: 'failed',
      error: `failed to choose a name for a new MachineSet: ${all.join(', ')} exist`,
      areSetsKnown: true,
    });
  });
});

const aTemplate = { metadata: { labels: {} } };

describe('a restart', () => {
  const after = '2026-01-01T00:30:00Z';
  const spec = { rollout: { ...rolling(1, 0).rollout, after } };
  /** Created before the restart, as the clock of the API server says. */
  const early = (name: string, number = '2') => aSet(2, { name, spec: 3, revision: number });
  const currentOf = (sets: Given['sets'], of: object = spec) => {
    const { stage } = plan(seenOf({ spec: of, sets }), digest);
    return (stage as Extract<typeof stage, { kind: 'rollout' }>).plan.sets.current?.counts; // true: nothing fails here
  };
  const { deployment } = seenOf({ spec, sets: [] });
  const made = namesOf(deployment, { revision: '2', isRestart: true }, digest).map(({ name }) => name);

  it('keeps the MachineSet that was made for it, although a clock is behind', () => {
    expect(currentOf([early(made[0] ?? '')])).toMatchObject({ name: made[0], createdAt: Date.parse(after) });
    expect(currentOf([early(made[1] ?? '')])).toMatchObject({ name: made[1] });
  });

  it('replaces any other', () => {
    expect(currentOf([early('ms2')])).toBeUndefined();
    expect(currentOf([early(made[0] ?? '', '3')])).toBeUndefined();
    const ordinary = namesOf(deployment, { revision: '2', isRestart: false }, digest)[0]?.name ?? '';
    expect(currentOf([early(ordinary)])).toBeUndefined();
    const unmarked = aSet(2, { name: made[0] ?? '', spec: 3 }, set => set.annotated({ [revision]: '' }));
    expect(currentOf([unmarked])).toBeUndefined();
  });

  it('does not change the age of a younger one', () => {
    const young = aSet(2, { name: made[0] ?? '', spec: 3 }, set => set.createdAt(now - 1000));
    expect(currentOf([young])).toMatchObject({ createdAt: now - 1000 });
  });

  it.each([
    { reason: 'none', at: undefined, is: undefined },
    { reason: 'this instant', at: '2026-01-01T01:00:00Z', is: undefined },
    { reason: 'an earlier one', at: after, is: undefined },
    { reason: 'a later one', at: '2026-01-01T01:00:02Z', is: 2000 },
  ])('is waited for: $reason', ({ at, is }) => {
    const given = { spec: { rollout: { ...rolling(1, 0).rollout, after: at } }, sets: [] };
    expect(waitForRestart(seenOf(given).deployment, now)).toBe(is);
  });
});

describe('empty old MachineSets', () => {
  const current = upToDate(9, 3);
  const deletions = (sets: Given['sets'], deployment = aDeployment()) => {
    const planned = plan(seenOf({ deployment, sets }), digest);
    const { cleanUp } = planned.stage as Extract<typeof planned.stage, { kind: 'rollout' }>; // true: nothing fails here
    return { deleted: cleanUp.sets.map(({ metadata }) => metadata.name), continues: cleanUp.continues };
  };
  const none = { deleted: [], continues: false };
  /** As the deployment applied it. Nothing of it is written again. */
  const applied = (number: number, change: (set: DeploymentTestObject) => DeploymentTestObject = same => same) =>
    aSet(number, { spec: 0, isStale: true }, set => change(set));

  it.each<{ readonly reason: string; readonly sets: Given['sets']; readonly is: object }>([
    { reason: 'that this pass writes are deleted by the next', sets: [applied(1), current], is: { continues: true } },
    { reason: 'that get a Machine stay', sets: [stale(1, 1, { status: 0 }), current], is: none },
    {
      reason: 'with a Machine that was not deleted yet stay',
      sets: [stale(1, 0, { status: 1, upToDate: 1 }), upToDate(9, 3, { status: 2 })],
      is: none,
    },
    { reason: 'in deletion are left', sets: [applied(1, set => set.deleting()), current], is: none },
    { reason: 'with Machines stay', sets: [stale(1, 0, { status: 1, upToDate: 0 }), upToDate(9, 3)], is: none },
    {
      reason: 'that have not reported their generation stay',
      sets: [applied(1, set => set.atGeneration(2)), current],
      is: none,
    },
    {
      reason: 'stay while Machines are not up to date',
      sets: [applied(1), upToDate(9, 3, { upToDate: 2 })],
      is: none,
    },
    {
      reason: 'stay while Machines are too many',
      sets: [applied(1), upToDate(9, 3, { status: 4, available: 3 })],
      is: none,
    },
    { reason: 'stay while Machines are not available', sets: [applied(1), upToDate(9, 3, { available: 2 })], is: none },
  ])('$reason', ({ sets, is }) => {
    expect(deletions(sets)).toMatchObject(is);
  });

  it('stay while the rollout is paused', () => {
    expect(deletions([applied(1), current], aDeployment({ paused: true }))).toEqual(none);
  });
});
