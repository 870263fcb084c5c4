// The report of one pass over a MachineDeployment: what the outcomes of its writes mean for status, Events and result.
import { type JsonObject, valueAt } from '@capi-serverless/apimachinery';
import type { Outcome } from '@capi-serverless/reconciler';
import { describe, expect, it } from 'vitest';
import { plan } from '../../../../functions/machinedeployment/plan.ts';
import { report } from '../../../../functions/machinedeployment/report.ts';
import type { ObservedDeployment } from '../../../../functions/machinedeployment/seen.ts';
import { readWholeMachineSet } from '../../../../shared/api/machine-set/whole-machine-set.ts';
import { conditionIn, conditionText, resultText } from '../../../support/result-text.ts';
import {
  aDeployment,
  aSet,
  type DeploymentTestObject,
  machineSpec,
  rolling,
  type SetParts,
} from './deployment-with-sets.ts';
import { digest, seenOf } from './seen.ts';

const boom: Outcome = { state: 'failed', failure: { reason: 'Forbidden', message: 'boom' } };
const skipped: Outcome = { state: 'skipped' };
const upToDate = (number: number, spec: number, more: Partial<SetParts> = {}) => aSet(number, { spec, ...more });
const stale = (number: number, spec: number) => aSet(number, { spec, isStale: true });

/** Reports a pass with these outcomes. `{name}` stands for the name of the MachineSet that the pass creates. */
function reportOf(seen: ObservedDeployment, outcomes: Readonly<Record<string, Outcome>> = {}) {
  const planned = plan(seen, digest);
  const name = planned.stage.kind === 'rollout' ? planned.stage.plan.target?.name.name : undefined;
  const byId = Object.entries(outcomes).map(([id, outcome]) => [id.replace('{name}', name ?? ''), outcome] as const);
  const { status, events, result } = report(planned, new Map(byId));
  const at = (path: string) => valueAt(status?.status as JsonObject, path); // true: every pass reports a status
  return {
    at,
    events: events.map(
      ({ type, reason, message }) => `${type} ${reason} ${message.replace(/md1-\w{5}\b/, 'md1-xxxxx')}`,
    ),
    result: resultText(result).replace(/md1-\w{5}\b/, 'md1-xxxxx'),
    condition: (type: string) => conditionText(conditionIn(at('conditions'), type)),
    v1beta1: (type: string) => conditionText(conditionIn(at('deprecated.v1beta1.conditions'), type)),
  };
}

/** The answer of the API server to an apply. */
function answered(number: number, parts: SetParts, deprecated: JsonObject = {}): Outcome {
  const [set] = aSet(number, parts, each => each.withStatus({ deprecated: { v1beta1: deprecated } }));
  return { state: 'done', object: (set as DeploymentTestObject).build() }; // true: the first object is the MachineSet
}

const orphaned = (seen: ObservedDeployment, ...numbers: readonly number[]): ObservedDeployment => {
  const orphans = numbers.map(number =>
    readWholeMachineSet((upToDate(number, 1)[0] as DeploymentTestObject).owners().build()),
  );
  return { ...seen, sets: { ...seen.sets, orphans } as ObservedDeployment['sets'] }; // true: the MachineSets are listed
};

describe('the deprecated status', () => {
  const ready = { type: 'Ready', status: 'True', lastTransitionTime: '2026-01-01T00:00:00Z' };
  const seen = seenOf({ sets: [stale(1, 2), upToDate(2, 2)] });

  it('counts the MachineSets as the API server answered', () => {
    const { at, v1beta1 } = reportOf(seen, {
      'apply:ms1': answered(1, { spec: 1, status: 2 }, { availableReplicas: 1, readyReplicas: 2 }),
      'apply:ms2': answered(2, { spec: 3, status: 4 }, { availableReplicas: 2, readyReplicas: 1, conditions: [ready] }),
    });
    expect(at('deprecated.v1beta1')).toMatchObject({
      updatedReplicas: 4,
      readyReplicas: 3,
      availableReplicas: 3,
      unavailableReplicas: 1,
    });
    expect(v1beta1('Available')).toBe('True');
    expect(v1beta1('MachineSetReady')).toBe('True');
    expect(v1beta1('Ready')).toBe('True');
  });

  it('counts a MachineSet as it was read if the answer has no object', () => {
    const { at } = reportOf(seen, { 'apply:ms1': { state: 'done' }, 'apply:ms2': skipped });
    expect(at('deprecated.v1beta1')).toMatchObject({ updatedReplicas: 2, unavailableReplicas: 4 });
  });

  it('names what is missing to the minimum', () => {
    const { v1beta1 } = reportOf(seen);
    const text = 'WaitingForAvailableMachines Minimum availability requires 3 replicas, current 4 available';
    expect(v1beta1('Available')).toBe(`False/Warning/${text}`);
    expect(v1beta1('Ready')).toBe(`False/Warning/${text}`);
    expect(v1beta1('MachineSetReady')).toBe('False/Info/WaitingForMachineSet');
  });

  it('needs only the Machines that may not be unavailable', () => {
    const { v1beta1 } = reportOf(seenOf({ spec: rolling(0, 1), sets: [upToDate(1, 3)] }), {
      'apply:ms1': answered(1, { spec: 3 }, { availableReplicas: 2 }),
    });
    expect(v1beta1('Available')).toBe('True');
  });

  it('is kept if a MachineSet could not be applied', () => {
    const stored = { updatedReplicas: 7, x: 'kept', conditions: [{ ...ready, type: 'Available', status: 'False' }] };
    const deployment = aDeployment().withStatus({ deprecated: { other: 1, v1beta1: stored } });
    const { at, v1beta1, result } = reportOf(seenOf({ deployment, sets: [upToDate(1, 2)] }), { 'apply:ms1': boom });
    expect(result).toBe('failed to update MachineSet ns/ms1: failed to apply MachineSet: boom');
    expect(at('deprecated')).toMatchObject({ other: 1, v1beta1: { updatedReplicas: 7, x: 'kept' } });
    expect(v1beta1('Available')).toContain('False');
    expect(v1beta1('MachineSetReady')).toBeUndefined();
    expect(v1beta1('Ready')).toContain('False');
  });

  it('gets no conditions from a pass that failed before', () => {
    const { at } = reportOf(seenOf({ sets: [upToDate(1, 2)] }), { 'apply:ms1': boom });
    expect(at('deprecated')).toEqual({ v1beta1: {} });
  });

  it('has no current MachineSet while the rollout is paused before its first one', () => {
    const { v1beta1 } = reportOf(seenOf({ spec: { paused: true }, sets: [stale(1, 3)] }));
    expect(v1beta1('MachineSetReady')).toBe('False/Info/WaitingForMachineSet MachineSet not found');
  });
});

describe('the observed generation', () => {
  const deployment = aDeployment().atGeneration(4).withStatus({ observedGeneration: 3 });

  it('is that of a pass without error', () => {
    const seen = seenOf({ deployment, sets: [upToDate(1, 3)] });
    expect(reportOf(seen).at('observedGeneration')).toBe(4);
    expect(reportOf(seen, { 'apply:ms1': boom }).at('observedGeneration')).toBe(3);
    expect(reportOf(seen, { 'deployment:revision': boom })).toMatchObject({
      result: 'failed to patch MachineDeployment ns/md1: boom',
    });
  });
});

describe('the result of a pass', () => {
  it('is another pass after an adoption', () => {
    const seen = orphaned(seenOf({ sets: [upToDate(1, 3)] }), 2, 3);
    const { result, events } = reportOf(seen, { 'adopt:ms2': boom, 'adopt:ms3': { state: 'done' } });
    expect(result).toBe('again');
    expect(events).toEqual(['Warning FailedAdopt Failed to adopt MachineSet "ms2": boom']);
    const none = reportOf(seen, { 'adopt:ms2': boom, 'adopt:ms3': boom });
    expect(none.result).toBe('done');
    expect(none.events).toHaveLength(2);
  });

  it('is another pass after a repair, or its errors', () => {
    const unlabelled = [1, 2].map(number => aSet(number, { spec: 1 }, set => set.onlyLabelled({})));
    const seen = seenOf({ sets: unlabelled });
    expect(reportOf(seen, { 'label:ms1': { state: 'done' } }).result).toBe('again');
    expect(reportOf(seen, { 'label:ms2': boom }).result).toBe(
      'failed to apply cluster.x-k8s.io/deployment-name label to MachineSet "ms2": boom',
    );
  });

  it('is another look while a MachineSet reports its Machines differently', () => {
    const reported = { status: 'True', reason: 'Ready', message: '' } as const;
    const unready = aSet(1, { spec: 3, available: 2 }, set => set.withCondition('MachinesReady', reported));
    expect(reportOf(seenOf({ sets: [unready] })).result).toBe('requeueAfter 60000');
    expect(reportOf(seenOf({ sets: [unready], deleting: true })).result).toBe('done');
    expect(reportOf(seenOf({ sets: [upToDate(1, 3)] })).result).toBe('done');
  });

  it.each(['own:infrastructure', 'own:bootstrap'])('is the error of %s', id => {
    const { result, condition, at } = reportOf(seenOf({ sets: [upToDate(1, 3)] }), { [id]: boom });
    expect(result).toBe('boom');
    expect(condition('ScalingUp')).toContain('Unknown/InternalError');
    expect(at('replicas')).toBeUndefined();
  });

  it.each<{ readonly reason: string; readonly change: Partial<ObservedDeployment> }>([
    {
      reason: 'a template',
      change: { bootstrap: { state: 'failed', ref: machineSpec.bootstrap.configRef, problem: 'boom' } },
    },
    { reason: 'the list of MachineSets', change: { sets: { state: 'failed', problem: 'boom' } } },
  ])('without $reason does not report MachineSets', ({ change }) => {
    const { result, at } = reportOf({ ...seenOf({ sets: [upToDate(1, 3)] }), ...change });
    expect(result).toBe('boom');
    expect(at('phase')).toBe('Unknown');
    expect(at('replicas')).toBeUndefined();
  });

  it('with a plan that is not possible reports MachineSets', () => {
    const { result, at } = reportOf(seenOf({ sets: [upToDate(1, 3, { revision: 'x' })] }));
    expect(result).toContain('failed to parse current revision');
    expect(at('replicas')).toBe(3);
  });
});

describe('failed writes', () => {
  const failedOf = (spec: object, sets: readonly (readonly DeploymentTestObject[])[], id: string) => {
    const { events, result } = reportOf(seenOf({ spec, sets }), { [id]: boom });
    return [...events, result];
  };

  it.each([
    {
      reason: 'of a scale while the rollout is paused',
      spec: { paused: true, replicas: 5 },
      sets: [stale(1, 3)],
      is: ['Warning FailedScale Failed to scale MachineSet ns/ms1: boom', 'boom'],
    },
    {
      reason: 'of another change while the rollout is paused',
      spec: { paused: true },
      sets: [stale(1, 3)],
      is: [
        'Warning FailedUpdate Failed to update MachineSet ns/ms1: failed to apply MachineSet: boom',
        'failed to update MachineSet ns/ms1: failed to apply MachineSet: boom',
      ],
    },
    {
      reason: 'of a scale while the rollout runs',
      spec: { replicas: 5 },
      sets: [upToDate(1, 3)],
      is: [
        'Warning FailedUpdate Failed to update MachineSet ns/ms1: failed to apply MachineSet: boom',
        'failed to update MachineSet ns/ms1: failed to apply MachineSet: boom',
      ],
    },
  ])('$reason', ({ spec, sets, is }) => {
    expect(failedOf(spec, sets, 'apply:ms1')).toEqual(is);
  });

  it('of a creation', () => {
    const full = 'MachineSet ns/md1-xxxxx: failed to apply MachineSet: boom';
    expect(failedOf({}, [stale(1, 3)], 'apply:{name}')).toEqual([
      `Warning FailedCreate Failed to create ${full}`,
      `failed to create ${full}`,
    ]);
  });

  it('of a deletion with the deployment have no Event', () => {
    const seen = seenOf({ sets: [upToDate(1, 3)], deleting: true });
    const { events, result } = reportOf(seen, { 'delete:ms1': boom });
    expect([...events, result]).toEqual(['failed to delete MachineSet ns/ms1 (MachineDeployment deleting): boom']);
  });
});

describe('the answer to the patch of the owner reference', () => {
  it('ends the pass if it is an error', () => {
    const seen = seenOf({ deployment: aDeployment().owners(), sets: [upToDate(1, 3)] });
    const { result, at } = reportOf(seen, { 'deployment:metadata': boom });
    expect(result).toBe('failed to patch MachineDeployment ns/md1: boom');
    expect(at('phase')).toBe('Unknown');
  });
});
