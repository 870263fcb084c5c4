import { describe, expect, it } from 'vitest';
import { conclude } from '../../../../../functions/machineset/phases/pass-progress.ts';
import { remediates } from '../../../../../functions/machineset/phases/remediation/remediation.ts';
import type { WholeMachine } from '../../../../../shared/api/machine/whole-machine.ts';
import { aMachine, type MachineBuilder } from '../../../../support/builders.ts';
import {
  anUnhealthyMachine,
  bodyOf,
  choiceOf,
  passed,
  performed,
  phaseOf,
  type RemediationCase,
  toMachines,
} from './remediation-pass.ts';

const m1 = anUnhealthyMachine('m1').atResourceVersion('5').atGeneration(3);
const m2 = anUnhealthyMachine('m2');
const healed = anUnhealthyMachine('m3').withCondition('HealthCheckSucceeded');

/** The conditions OwnerRemediated of both families after the phase. */
function remediated(of: RemediationCase, machine: MachineBuilder, ...failing: readonly string[]) {
  const phase = phaseOf(of);
  const [before] = toMachines([machine]);
  const { status } = phase.machineAfter(before as WholeMachine, performed(phase, ...failing).outcomes); // true: one Machine
  const text = ({ status: is, reason = '', message = '' }: { status: string; reason?: string; message?: string }) =>
    [is, reason, message].join('/');
  const find = <C extends { readonly type: string }>(list: readonly C[]) =>
    list.find(({ type }) => type === 'OwnerRemediated');
  const now = find(status.conditions);
  const old = find(status.deprecated.v1beta1.conditions);
  return [now === undefined ? 'none' : text(now), old === undefined ? 'none' : text(old)];
}

const failedChecks = { state: 'failed', messages: ['A is upgrading', 'B is old'] } as const;
const brokenChecks = { state: 'error', problem: 'failed to perform preflight checks: boom' } as const;

describe('the condition of an unhealthy Machine', () => {
  it.each<RemediationCase & { readonly is: readonly string[]; readonly reason: string }>([
    { machines: [m1], is: ['False/MachineDeleting/Machine is deleting', 'True//'], reason: 'it is deleted' },
    {
      machines: [m1],
      deployment: { revision: '10' },
      is: ["False/CannotBeRemediated/Machine won't be remediated because it is pending removal due to rollout", 'none'],
      reason: 'the set is old',
    },
    {
      machines: [m1],
      deployment: { maxInFlight: 0 },
      is: [
        'False/RemediationDeferred/Waiting because there are already too many remediations in progress (spec.strategy.remediation.maxInFlight is 0)',
        'none',
      ],
      reason: 'too many',
    },
    {
      machines: [m1],
      preflight: failedChecks,
      is: [
        'False/RemediationDeferred/* A is upgrading\n* B is old',
        'False/WaitingForRemediation/A is upgrading; B is old',
      ],
      reason: 'the checks fail',
    },
    {
      machines: [m1],
      preflight: brokenChecks,
      is: [
        'False/RemediationDeferred/* failed to perform "Machine remediation": failed to perform preflight checks: boom',
        'False/WaitingForRemediation/failed to perform "Machine remediation": failed to perform preflight checks: boom',
      ],
      reason: 'the checks cannot be made',
    },
    { machines: [m1], preflight: undefined, is: ['False/WaitingForRemediation/', 'none'], reason: 'no checks' },
  ])('$is ($reason)', ({ is, ...given }) => {
    expect(remediated(given, m1)).toEqual(is);
  });

  it('does not change if the write fails', () => {
    expect(remediated({ machines: [m1] }, m1, 'remediation:m1')).toEqual(['False/WaitingForRemediation/', 'none']);
  });

  it('of another Machine does not change', () => {
    expect(remediated({ machines: [m1] }, m2)).toEqual(['False/WaitingForRemediation/', 'none']);
  });

  it('is removed if the Machine is healthy again', () => {
    expect(remediated({ machines: [healed] }, healed)).toEqual(['none', 'none']);
  });

  it('is removed from the deprecated family alone if only this one asks for it', () => {
    const old = aMachine()
      .withCondition('OwnerRemediated', { status: 'False' })
      .withV1Beta1Condition('HealthCheckSucceeded')
      .withV1Beta1Condition('OwnerRemediated', { status: 'False' });
    expect(remediated({ machines: [old] }, old)).toEqual(['False/OwnerRemediated/', 'none']);
  });

  it('is kept in the deprecated family if only the current one is healed', () => {
    const old = healed.withV1Beta1Condition('OwnerRemediated', { status: 'False' });
    expect(remediated({ machines: [old] }, old)).toEqual(['none', 'False//']);
  });
});

describe('the writes of a remediation', () => {
  it.each<RemediationCase & { readonly ids: readonly string[]; readonly reason: string }>([
    { machines: [], ids: [], reason: 'no Machines' },
    { machines: [m1], ids: ['remediation:m1', 'remediate:m1'], reason: 'the condition, then the deletion' },
    {
      machines: [
        m1
          .withCondition('OwnerRemediated', {
            status: 'False',
            reason: 'MachineDeleting',
            message: 'Machine is deleting',
            observedGeneration: 3,
          })
          .withV1Beta1Condition('OwnerRemediated'),
      ],
      ids: ['remediate:m1'],
      reason: 'the condition was written before a crash',
    },
    { machines: [m1], preflight: failedChecks, ids: ['remediation:m1'], reason: 'the checks fail' },
    { machines: [m1], preflight: undefined, ids: [], reason: 'the checks were not made' },
    {
      machines: [m1, healed],
      ids: ['remediation:m3', 'remediation:m1', 'remediate:m1'],
      reason: 'requests of healthy Machines are removed first',
    },
  ])('$ids ($reason)', ({ ids, ...given }) => {
    const phase = phaseOf(given);
    expect(phase.actions.map(({ id }) => id)).toEqual(ids);
    expect([...phase.written].toSorted()).toEqual([...new Set(ids.map(id => id.split(':')[1]))].toSorted());
    expect(conclude(phase, performed(phase).outcomes).again).toBe(ids.length > 0);
  });

  it('are one patch of the status at the version that was read, and one deletion by uid', () => {
    const { actions } = phaseOf({ machines: [m1] });
    const ref = { apiVersion: 'cluster.x-k8s.io/v1beta2', kind: 'Machine', namespace: 'ns', name: 'm1' };
    expect(actions).toMatchObject([
      { do: 'patch', onError: 'continue', ref, subresource: 'status', resourceVersion: '5' },
      { do: 'delete', onError: 'continue', ref, uid: 'uid-of-machine-m1' },
    ]);
    expect(bodyOf(actions, 'remediation:m1')).toMatchObject({
      status: {
        conditions: [
          { type: 'HealthCheckSucceeded' },
          { type: 'OwnerRemediated', reason: 'MachineDeleting', observedGeneration: 3 },
        ],
        deprecated: {
          v1beta1: { conditions: [{ type: 'OwnerRemediated', lastTransitionTime: '2026-01-01T00:00:00Z' }] },
        },
      },
    });
  });

  it('contain only the family that changes', () => {
    const { actions } = phaseOf({ machines: [m1], deployment: { maxInFlight: 0 } });
    expect(Object.keys((bodyOf(actions, 'remediation:m1') as { status: object }).status)).toEqual(['conditions']); // true: the body of a status
  });

  it.each<
    RemediationCase & {
      readonly failing: string;
      readonly ids: readonly string[];
      readonly errors: readonly string[];
      readonly reason: string;
    }
  >([
    {
      machines: [m1, m2],
      failing: 'remediation:m1',
      ids: ['remediation:m1', 'remediation:m2', 'remediate:m2'],
      errors: ['failed to patch Machines: failed to patch Machine ns/m1: boom'],
      reason: 'only marked Machines are deleted',
    },
    {
      machines: [m1, m2],
      failing: 'remediate:m1',
      ids: ['remediation:m1', 'remediation:m2', 'remediate:m1', 'remediate:m2'],
      errors: ['failed to delete unhealthy Machines: failed to delete Machine ns/m1: boom'],
      reason: 'the others are deleted',
    },
    {
      machines: [m1, healed],
      failing: 'remediation:m3',
      ids: ['remediation:m3'],
      errors: ['failed to remove OwnerRemediated condition from healhty Machines: boom'],
      reason: 'the phase ends',
    },
  ])('stop where they must: $failing ($reason)', ({ failing, ids, errors, ...given }) => {
    const phase = phaseOf(given);
    const run = performed(phase, failing);
    expect(run.ids).toEqual(ids);
    expect(conclude(phase, run.outcomes).errors).toEqual(
      errors.map(error => `failed to reconcile unhealthy machines: ${error}`),
    );
  });
});

describe('the result of a remediation', () => {
  it.each<
    RemediationCase & {
      readonly requeues?: readonly number[];
      readonly errors: readonly string[];
      readonly reason: string;
    }
  >([
    { machines: [m1], errors: [], reason: 'nothing to report' },
    { machines: [m1], preflight: failedChecks, requeues: [15_000], errors: [], reason: 'another try of the checks' },
    { machines: [aMachine()], preflight: failedChecks, errors: [], reason: 'no checks are needed' },
    {
      machines: [m1],
      preflight: brokenChecks,
      errors: ['failed to perform "Machine remediation": failed to perform preflight checks: boom'],
      reason: 'the checks cannot be made',
    },
    {
      machines: [m1],
      deployment: { maxInFlight: [] },
      errors: [
        'failed to calculate maxInFlight to remediate machines: invalid value for IntOrString: invalid type: string is not a percentage',
      ],
      reason: 'a limit that is not valid',
    },
  ])('$reason', ({ requeues, errors, ...given }) => {
    const phase = phaseOf(given);
    const result = conclude(phase, performed(phase).outcomes);
    expect(result.requeues).toEqual(requeues ?? []);
    expect(result.errors).toEqual(errors.map(error => `failed to reconcile unhealthy machines: ${error}`));
  });

  it('changes nothing if the limit is not valid', () => {
    const phase = phaseOf({ machines: [m1], deployment: { maxInFlight: 'x' } });
    expect([phase.actions, [...phase.written]]).toEqual([[], []]);
    expect(remediated({ machines: [m1], deployment: { maxInFlight: 'x' } }, m1)[0]).toBe(
      'False/WaitingForRemediation/',
    );
  });

  it.each<RemediationCase & { readonly is: boolean; readonly reason: string }>([
    { machines: [m1], is: true, reason: 'a Machine is chosen' },
    { machines: [aMachine()], is: false, reason: 'no Machine is chosen' },
    { machines: [m1], deployment: { maxInFlight: 'x' }, is: false, reason: 'the limit is not valid' },
  ])('needs preflight checks: $is ($reason)', ({ is, ...given }) => {
    expect(remediates(choiceOf({ preflight: passed, ...given }))).toBe(is);
  });
});
