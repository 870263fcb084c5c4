// Scenarios of the circuit breaker of MachineHealthChecks.
import { describe, expect, it } from 'vitest';
import { triggerState } from '../../../../functions/machinehealthcheck/phases/trigger.ts';
import { reconcileOnce } from './health-check-pass.ts';
import { type HealthTestObject, lost, machine, node, triggeredBy, young } from './scenario-objects.ts';

const hcs = 'HealthCheckSucceeded';
const owned = 'OwnerRemediated';
const prefix = 'Remediation is not allowed, the number of not started or unhealthy machines';
const twoLost = { nodes: [node(1), lost(2, 400), lost(3, 400)] };
const oneLost = { nodes: [node(1), node(2), lost(3, 400)] };

describe('a limit of unhealthy Machines', () => {
  it('stops remediation, and still reports the health of Machines', async () => {
    const pass = await reconcileOnce(triggeredBy({ unhealthyLessThanOrEqualTo: '40%' }), twoLost);
    const message = `${prefix} exceeds maxUnhealthy (total: 3, unhealthy: 2, maxUnhealthy: 40%)`;
    expect(pass.status).toMatchObject({ remediationsAllowed: 0, currentHealthy: 1, observedGeneration: 2 });
    expect(pass.condition('RemediationAllowed')).toBe(`False/TooManyUnhealthy ${message}`);
    expect(pass.v1beta1('RemediationAllowed')).toBe(`False/Warning/TooManyUnhealthy ${message}`);
    expect(pass.of('m2', hcs)).toContain('False/UnhealthyNode');
    expect([pass.of('m2', owned), pass.of('m3', owned)]).toEqual([undefined, undefined]);
    expect(pass.written).toEqual(['patch Machine ns/m1', 'patch Machine ns/m2', 'patch Machine ns/m3']);
    expect(pass.events).toEqual([`Warning RemediationRestricted ${message}`]);
    expect(pass.result).toBe('requeueAfter 300000');
    const machines = ['m1', 'm2', 'm3'].map(name => pass.machine(name));
    const next = await reconcileOnce(pass.check, { ...twoLost, machines });
    expect([next.writes, next.events, next.check]).toEqual([[], [], pass.check]);
  });

  it('counts Machines that start, and looks at them again', async () => {
    const machines = [young(1, 100), young(2, 100), young(3, 100)];
    const pass = await reconcileOnce(triggeredBy({ unhealthyLessThanOrEqualTo: '40%' }), { machines });
    expect(pass.condition('RemediationAllowed')).toContain('(total: 3, unhealthy: 0, maxUnhealthy: 40%)');
    expect([pass.events, pass.result]).toEqual([[], 'requeueAfter 334000']);
  });

  it('does not limit how many are marked', async () => {
    const pass = await reconcileOnce(triggeredBy({ unhealthyLessThanOrEqualTo: 2 }), twoLost);
    expect(pass.status).toMatchObject({ remediationsAllowed: 0 });
    expect(pass.condition('RemediationAllowed')).toBe('True/RemediationAllowed');
    expect([pass.of('m2', owned), pass.of('m3', owned)]).toEqual(
      Array(2).fill('False/WaitingForRemediation Waiting for remediation'),
    );
  });

  it('marks Machines when it is fulfilled again', async () => {
    const { check, machine: after } = await reconcileOnce(triggeredBy({ unhealthyLessThanOrEqualTo: 1 }), twoLost);
    const machines = ['m1', 'm2', 'm3'].map(name => after(name));
    const { spec } = triggeredBy({ unhealthyLessThanOrEqualTo: 2 }).build();
    const pass = await reconcileOnce({ ...check, spec }, { ...twoLost, machines });
    expect(pass.written).toEqual(['patch Machine ns/m2', 'patch Machine ns/m3']);
    expect(pass.events.map(line => line.split(' ').slice(0, 3).join(' '))).toEqual([
      'Normal MachineMarkedUnhealthy Machine/m2',
      'Normal MachineMarkedUnhealthy Machine/m3',
    ]);
  });

  it('reports Machines that cannot be patched', async () => {
    const failures = { 'machine:m2': { message: 'no' }, 'machine:m1': { message: 'nor' } };
    const pass = await reconcileOnce(triggeredBy({ unhealthyLessThanOrEqualTo: 1 }), { ...twoLost, failures });
    expect(pass.result).toBe(
      '[failed to patch machine status for machine: ns/m1: failed to patch Machine ns/m1: nor, ' +
        'failed to patch machine status for machine: ns/m2: failed to patch Machine ns/m2: no]',
    );
  });

  it('records its event again when the numbers change', async () => {
    const stored = triggeredBy({ unhealthyLessThanOrEqualTo: 0 }).withCondition('RemediationAllowed', {
      status: 'False',
      reason: 'TooManyUnhealthy',
      message: 'others',
    });
    const { events } = await reconcileOnce(stored, oneLost);
    expect(events).toEqual([expect.stringContaining('Warning RemediationRestricted')]);
  });
});

describe('a range of unhealthy Machines', () => {
  it.each([
    { range: '[1-3]', world: oneLost, remaining: 2, isAllowed: true, reason: 'one is in the range' },
    { range: '[3-5]', world: twoLost, remaining: 0, isAllowed: false, reason: 'two are below the range' },
    { range: '[1-3]', world: {}, remaining: 0, isAllowed: false, reason: 'none is below the range' },
  ])('$range ($reason)', async ({ range, world, remaining, isAllowed }) => {
    const pass = await reconcileOnce(triggeredBy({ unhealthyInRange: range, unhealthyLessThanOrEqualTo: 9 }), world);
    expect(pass.status).toMatchObject({ remediationsAllowed: remaining });
    expect(pass.condition('RemediationAllowed')).toContain(
      isAllowed ? 'True/RemediationAllowed' : 'False/TooManyUnhealthy',
    );
    expect(pass.of('m3', owned) !== undefined).toBe(isAllowed);
  });

  it('without a Machine in it reports all as healthy', async () => {
    const pass = await reconcileOnce(triggeredBy({ unhealthyInRange: '[1-3]' }));
    expect(pass.condition('RemediationAllowed')).toBe(
      `False/TooManyUnhealthy ${prefix} does not fall within the range (total: 3, unhealthy: 0, unhealthyRange: [1-3])`,
    );
    expect([pass.events, pass.of('m1', hcs)]).toEqual([[], `True/${hcs}`]);
  });

  it('that is not valid stores the counters only', async () => {
    const pass = await reconcileOnce(triggeredBy({ unhealthyInRange: '[5-2]' }), oneLost);
    expect(pass.result).toBe(
      'error checking if remediation is allowed: max value 2 cannot be less than min value 5 for unhealthyRange',
    );
    expect(pass.status).toMatchObject({ expectedMachines: 3, currentHealthy: 2, targets: ['m1', 'm2', 'm3'] });
    expect(pass.status?.['observedGeneration']).toBeUndefined();
    expect([pass.writes, pass.condition('RemediationAllowed')]).toEqual([[], undefined]);
  });
});

const invalidValue = 'invalid value for IntOrString';

describe('the breaker', () => {
  it.each<{ trigger: object; expected: number; healthy: number; state: unknown; reason: string }>([
    { trigger: {}, expected: 3, healthy: 1, state: 1, reason: 'no limit' },
    {
      trigger: { unhealthyLessThanOrEqualTo: '60%' },
      expected: 5,
      healthy: 2,
      state: 0,
      reason: 'a percentage of the expected Machines',
    },
    { trigger: { unhealthyLessThanOrEqualTo: '59%' }, expected: 5, healthy: 2, state: false, reason: 'rounded down' },
    { trigger: { unhealthyLessThanOrEqualTo: '+50%' }, expected: 4, healthy: 3, state: 1, reason: 'a sign' },
    { trigger: { unhealthyLessThanOrEqualTo: 9 }, expected: 1, healthy: 1, state: 9, reason: 'more than expected' },
    { trigger: { unhealthyLessThanOrEqualTo: -1 }, expected: 1, healthy: 1, state: false, reason: 'below zero' },
    { trigger: { unhealthyInRange: '[2-2]' }, expected: 3, healthy: 1, state: 0, reason: 'both bounds' },
    { trigger: { unhealthyInRange: '[0-1]' }, expected: 3, healthy: 1, state: false, reason: 'above the range' },
    {
      trigger: { unhealthyLessThanOrEqualTo: '2' },
      expected: 1,
      healthy: 1,
      state: `${invalidValue}: invalid type: string is not a percentage`,
      reason: 'no percentage',
    },
    {
      trigger: { unhealthyLessThanOrEqualTo: 'x%' },
      expected: 1,
      healthy: 1,
      state: `${invalidValue}: invalid value "x%": strconv.Atoi: parsing "x": invalid syntax`,
      reason: 'no number',
    },
    {
      trigger: { unhealthyLessThanOrEqualTo: `${'9'.repeat(20)}%` },
      expected: 1,
      healthy: 1,
      state: `${invalidValue}: invalid value "${'9'.repeat(20)}%": strconv.Atoi: parsing "${'9'.repeat(20)}": invalid syntax`,
      reason: 'too large a number',
    },
    {
      trigger: { unhealthyInRange: '[1-4294967296]' },
      expected: 1,
      healthy: 1,
      state: 'strconv.ParseUint: parsing "4294967296": value out of range',
      reason: 'too large a bound',
    },
    {
      trigger: { unhealthyInRange: '[0-4294967295]' },
      expected: 1,
      healthy: 1,
      state: 4_294_967_295,
      reason: 'the largest bound',
    },
    {
      trigger: { unhealthyInRange: '1-3' },
      expected: 1,
      healthy: 1,
      state: 'invalid value "1-3" for unhealthyRange',
      reason: 'no range',
    },
  ])('with $reason', ({ trigger, expected, healthy, state }) => {
    const checked = triggerState(
      { unhealthyInRange: '', unhealthyLessThanOrEqualTo: undefined, ...trigger },
      { expected, healthy, unhealthy: 0 },
    );
    const actual = checked.ok ? (checked.value.isAllowed ? checked.value.remaining : false) : checked.error;
    expect(actual).toBe(state);
  });
});

/** A limit of any other type is treated as absent. */
it('ignores a limit that is neither a number nor a text', async () => {
  const check: HealthTestObject = triggeredBy({ unhealthyLessThanOrEqualTo: true });
  expect((await reconcileOnce(check, { machines: [machine(1)] })).status).toMatchObject({ remediationsAllowed: 1 });
});
