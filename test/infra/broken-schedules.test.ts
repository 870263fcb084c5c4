// The ways in which a schedule can fail to do its work. For each, an alarm goes off.
import { afterAll, describe, expect, it } from 'vitest';
import { type Alarm, alarmsOf } from '../support/monitored-stack.ts';
import { makeBundles, synthesise } from '../support/synthesised.ts';

const made = makeBundles();

afterAll(() => made.remove());

/** The sums of the function's metrics in one period. Those of Lambda have no value without an event. */
type Sums = Readonly<Record<string, number>>;

const ways: readonly { readonly way: string; readonly sums: Sums }[] = [
  { way: 'the schedule is disabled or deleted', sums: {} },
  { way: 'the role of the schedule may not invoke the function', sums: {} },
  {
    way: 'the function is throttled until its event is too old',
    sums: { AsyncEventsReceived: 2, AsyncEventsDropped: 2, Throttles: 4 },
  },
  {
    way: 'the function fails when it is imported',
    sums: { AsyncEventsReceived: 2, AsyncEventsDropped: 2, Invocations: 2, Errors: 2 },
  },
  {
    way: 'each run ends with an error or at its timeout',
    sums: { AsyncEventsReceived: 2, AsyncEventsDropped: 2, Invocations: 2, Errors: 2 },
  },
];
const healthy: Sums = { AsyncEventsReceived: 2, AsyncEventsDropped: 0, Invocations: 2, Errors: 0, Throttles: 0 };

/** Evaluates the expressions of alarms about functions: sums and differences of filled metrics. */
function amountOf({ metrics, expression }: Alarm, sums: Sums): number {
  const values = metrics.map(({ name }) => sums[name] ?? 0);
  const filled = (expression ?? 'FILL(m0,0)').replaceAll(/FILL\(m(\d+),0\)/g, (_, index) => String(values[index] ?? 0));
  const [, summed] = /^SUM\(\[([\d,]+)\]\)$/.exec(filled) ?? [];
  const [, from, less] = /^(\d+)-(\d+)$/.exec(filled) ?? [];
  if (summed === undefined && from === undefined) {
    throw new Error(`The expression ${expression} cannot be evaluated`);
  }
  return summed === undefined
    ? Number(from) - Number(less)
    : summed.split(',').reduce((sum, text) => sum + Number(text), 0);
}

function goesOff(alarm: Alarm, sums: Sums): boolean {
  const isBelow = alarm.fields['ComparisonOperator'] === 'LessThanThreshold';
  const threshold = Number(alarm.fields['Threshold']);
  const value = amountOf(alarm, sums);
  return isBelow ? value < threshold : value >= threshold;
}

describe.each(['resync', 'windowed-forwarder'])('the schedule of %s', name => {
  const stack = synthesise({ name: 'capi-broken', sources: { windowed: true } }, made);
  const isOf = ({ metrics }: Alarm): boolean =>
    metrics.some(({ namespace, dimension }) => namespace === 'AWS/Lambda' && dimension.value === `capi-broken-${name}`);
  const alarms = alarmsOf(stack).filter(isOf);
  const silence = alarms.filter(alarm => alarm.name === `${name}-silent`);

  it.each(ways)('is noticed within two periods if $way', ({ sums }) => {
    expect(silence.map(alarm => goesOff(alarm, sums))).toEqual([true]);
    expect(silence[0]?.fields).toMatchObject({ TreatMissingData: 'breaching', EvaluationPeriods: 2 });
  });

  it('is noticed within minutes if its function fails', () => {
    const failing = { ...healthy, AsyncEventsDropped: 1, Errors: 1 };
    expect(alarms.filter(alarm => goesOff(alarm, failing)).map(alarm => alarm.name)).toEqual(
      expect.arrayContaining([expect.stringMatching(/^function-errors/)]),
    );
  });

  it('raises no alarm while each run succeeds', () => {
    expect(alarms.length).toBeGreaterThan(1);
    expect(alarms.filter(alarm => goesOff(alarm, healthy))).toEqual([]);
  });
});

describe('the schedule of the resync in China, where Lambda has no metrics of asynchronous invocations', () => {
  const place = { region: 'cn-north-1', account: '123456789012' };
  const stack = synthesise({ name: 'capi-cn', ...place, sources: { windowed: true } }, made);
  const [silence, ...others] = alarmsOf(stack).filter(({ name }) => name === 'resync-silent');

  it.each([
    { way: 'the schedule is disabled or deleted', sums: {}, noticed: true },
    {
      way: 'the role of the schedule may not invoke the function',
      sums: { InvocationAttemptCount: 2, TargetErrorCount: 2 },
      noticed: true,
    },
    { way: 'Lambda accepts the events', sums: { InvocationAttemptCount: 2 }, noticed: false },
  ])('is noticed, $noticed, if $way', ({ sums, noticed }) => {
    expect(others).toEqual([]);
    expect(silence && goesOff(silence, sums)).toBe(noticed);
  });

  it('is of functions without the setting for recursive loops, which Lambda does not have there', () => {
    expect(stack.resourceOf('resync').Properties).not.toHaveProperty('RecursiveLoop');
  });
});
