// Plans of MachineDeployments whose Machines are updated in place: what moves, and what the current MachineSet acknowledges.
import { valueAt } from '@capi-serverless/apimachinery';
import { describe, expect, it } from 'vitest';
import { moveQuestions } from '../../../../functions/machinedeployment/plan/in-place/questions.ts';
import { countsOf } from '../../../../functions/machinedeployment/plan/rollout-sets.ts';
import { plan } from '../../../../functions/machinedeployment/plan.ts';
import { report } from '../../../../functions/machinedeployment/report.ts';
import type { ObservedDeployment } from '../../../../functions/machinedeployment/seen.ts';
import { readWholeMachineSet } from '../../../../shared/api/machine-set/whole-machine-set.ts';
import { aSet, type DeploymentTestObject, rolling } from './deployment-with-sets.ts';
import { digest, type Given, seenOf } from './seen.ts';

const inPlace = 'in-place-updates.internal.cluster.x-k8s.io';
const moveTo = `${inPlace}/move-machines-to-machineset`;
const receive = `${inPlace}/receive-machines-from-machinesets`;
const acknowledged = `${inPlace}/acknowledged-move`;

function planOf(given: Given) {
  return plan(seenOf(given), digest).stage;
}

/** The replicas and the marks of each MachineSet. */
function writesOf(given: Given) {
  const stage = planOf(given);
  if (stage.kind !== 'rollout') {
    throw new Error(stage.kind === 'failed' ? stage.error : stage.kind);
  }
  return Object.fromEntries(
    stage.plan.writes.map(({ name, intent }) => [
      name.replace(/^md1-.{5}$/, 'md1-xxxxx'),
      [
        valueAt(intent, 'spec.replicas'),
        ...[moveTo, receive, acknowledged].flatMap(key => {
          const value = intent.metadata.annotations?.[key];
          return value === undefined
            ? []
            : [`${key.slice(inPlace.length + 1)}=${value.replace(/md1-.{5}/, 'md1-xxxxx')}`];
        }),
      ],
    ]),
  );
}

const stale = (number: number, spec: number) => aSet(number, { spec, isStale: true });
const yes = { state: 'yes' } as const;
const marked = (annotations: Readonly<Record<string, string>>) => (set: DeploymentTestObject) =>
  set.annotated(annotations);

describe('a rollout with an extension that updates Machines in place', () => {
  it('moves Machines to the MachineSet that it creates', () => {
    expect(writesOf({ sets: [stale(1, 3)], answers: { ms1: yes } })).toEqual({
      'md1-xxxxx': [1, 'receive-machines-from-machinesets=ms1'],
      ms1: [3, 'move-machines-to-machineset=md1-xxxxx'],
    });
  });

  it('continues while a new Machine is available', () => {
    expect(writesOf({ sets: [stale(1, 3), aSet(2, { spec: 1 })], answers: { ms1: yes } })).toEqual({
      ms2: [1, 'receive-machines-from-machinesets=ms1'],
      ms1: [2, 'move-machines-to-machineset=ms2'],
    });
  });

  it.each([
    { reason: 'once', marks: {}, waiting: ['ms2-m1'], replicas: 2, names: 'ms2-m1' },
    {
      reason: 'not again',
      marks: { [acknowledged]: 'ms2-m1' },
      waiting: ['ms2-m1'],
      replicas: 1,
      names: 'ms2-m1',
    },
    {
      reason: 'together with another one',
      marks: { [acknowledged]: 'ms2-m1' },
      waiting: ['ms2-m1', 'ms2-m2'],
      replicas: 2,
      names: 'ms2-m1,ms2-m2',
    },
    {
      reason: 'no longer',
      marks: { [acknowledged]: 'ms2-m1' },
      waiting: [],
      replicas: 1,
      names: undefined,
    },
  ])('counts a moved Machine $reason', ({ marks, waiting, replicas, names }) => {
    const current = aSet(2, { spec: 1, status: 2, available: 1 }, marked(marks));
    const writes = writesOf({
      spec: { replicas: 4 },
      sets: [stale(1, 2), current],
      answers: { ms1: yes },
      pending: waiting,
    });
    expect(writes['ms2']).toEqual([
      replicas,
      'receive-machines-from-machinesets=ms1',
      ...(names === undefined ? [] : [`acknowledged-move=${names}`]),
    ]);
  });

  it('does not count it while the feature is disabled', () => {
    const current = aSet(2, { spec: 2, status: 2, available: 1 });
    const given = { sets: [stale(1, 1), current], pending: ['ms2-m1'], updatesInPlace: false };
    expect(writesOf(given)['ms2']).toEqual([3]);
  });

  it('keeps what has moved while the rollout is paused (row 15)', () => {
    const current = aSet(2, { spec: 1, status: 2 }, marked({ [receive]: 'ms1' }));
    const given = { spec: { paused: true }, sets: [stale(1, 1), current], pending: ['ms2-m1'] };
    expect(writesOf(given)['ms2']).toContain('acknowledged-move=ms2-m1');
    expect(writesOf(given)['ms2']).toContain('receive-machines-from-machinesets=ms1');
  });

  it('is an ordinary rollout if the extension refuses', () => {
    expect(writesOf({ sets: [stale(1, 3)], answers: { ms1: { state: 'no', reasons: [] } } })).toEqual({
      'md1-xxxxx': [1],
      ms1: [3],
    });
  });

  it('ends with the error of the extension', () => {
    expect(planOf({ sets: [stale(1, 3)], answers: { ms1: { state: 'failed', problem: 'boom' } } })).toMatchObject({
      error: 'failed to determine if MachineSet ms1 can be updated in-place: boom',
    });
  });
});

describe('the questions to the extension', () => {
  const old = [stale(1, 3)];
  it('are about old MachineSets with Machines', () => {
    const questions = moveQuestions(seenOf({ sets: [...old, stale(2, 0)] }), digest);
    expect(questions.map(({ name }) => name)).toEqual(['ms1']);
    expect(questions[0]?.current.metadata.name).toBe('ms1');
    expect(questions[0]?.desired.metadata.name).toMatch(/^md1-/);
  });

  it.each<Given & { readonly reason: string }>([
    { reason: 'while the feature is disabled', sets: old, updatesInPlace: false },
    { reason: 'while the rollout is paused', sets: old, spec: { paused: true } },
    { reason: 'during a deletion', sets: old, deleting: true },
    { reason: 'if users delete Machines', sets: old, spec: { rollout: { strategy: { type: 'OnDelete' } } } },
    { reason: 'if the plan has an error', sets: old, spec: rolling('x', 0) },
    {
      reason: 'about MachineSets that are replaced because of their age',
      sets: [aSet(1, { spec: 3 })],
      spec: { rollout: { ...rolling(1, 0).rollout, after: '2026-01-01T00:30:00Z' } },
    },
  ])('are none $reason', given => {
    expect(moveQuestions(seenOf(given), digest)).toEqual([]);
  });
});

describe('a plan that is not possible', () => {
  it.each<Given & { readonly reason: string; readonly error: string }>([
    {
      reason: 'an unknown strategy',
      sets: [],
      spec: { rollout: { strategy: { type: 'Other' } } },
      error: 'unexpected deployment strategy type: Other',
    },
    {
      reason: 'a MachineSet without replicas',
      sets: [aSet(1, { spec: 3 }, set => set.withSpec({ replicas: undefined }))],
      error: 'spec.replicas for MachineSet ns/ms1 is nil, this is unexpected',
    },
  ])('ends with an error: $reason', ({ error, ...given }) => {
    expect(planOf(given)).toMatchObject({ kind: 'failed', error });
  });

  it('ends with an error if other MachineSets have all names', () => {
    const seen = seenOf({ sets: [] });
    const taken = {
      state: 'listed',
      owned: [],
      orphans: [],
      names: { has: () => true },
    } as unknown as ObservedDeployment['sets']; // true: only `has` is read
    const planned = plan({ ...seen, sets: taken }, digest);
    expect(planned).toMatchObject({ stage: { kind: 'failed' } });
    expect(JSON.stringify(planned)).toContain('failed to choose a name for a new MachineSet: md1-');
  });
});

describe('a pass without outcomes', () => {
  it('reports the MachineSets as they were read', () => {
    const planned = plan(seenOf({ sets: [stale(1, 3)] }), digest);
    const { status, result } = report(planned, new Map());
    expect(result).toEqual({ kind: 'done' });
    expect(valueAt(status?.status, 'deprecated.v1beta1.unavailableReplicas')).toBe(3);
  });

  it('treats a MachineSet without time as the oldest', () => {
    const [set] = aSet(1, { spec: 1 });
    const { creationTimestamp: _, ...metadata } = (set as DeploymentTestObject).build().metadata; // true: it is the MachineSet
    const read = readWholeMachineSet({ ...(set as DeploymentTestObject).build(), metadata });
    expect(countsOf(read, []).createdAt).toBe(0);
  });
});
