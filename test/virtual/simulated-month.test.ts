// The estimate of costs against a simulated month. The resync runs as on its schedule over Clusters with topology. Its
// messages pass the delay queue, the timer and the work queues, with the calls that Lambda and the functions make. Each
// reconcile is one of a settled object, which writes nothing (settled-reconciles.test.ts). Every day is the same, so a
// month is 30 of them.

import { defaultFeatureGates, ofGates } from '@capi-serverless/cluster-api/feature-gates';
import { expect, it } from 'vitest';
import { type CostInput, type Estimate, toEstimate } from '../../cli/cost/estimate.ts';
import { assumed, deployed, profiles } from '../../cli/cost/items.ts';
import { toShape } from '../../cli/cost/shape.ts';
import { declarations } from '../../functions/declarations.ts';
import { month, usdOf } from '../../infra/prices.ts';
import { isFifo } from '../../shared/workqueue/queue-names.ts';
import { type DayCounts, simulateDay } from './simulated-day.ts';

const byDefault = ofGates(declarations, defaultFeatureGates);

/** A part of the day for many Clusters, whose messages are distributed evenly. */
const sizes = [
  { clusters: 10, hours: 24 },
  { clusters: 100, hours: 12 },
  { clusters: 1000, hours: 2 },
];
const cases = [
  ...sizes.flatMap(size => [
    { ...size, changesPerDay: 0, lean: false, gates: 'all' },
    { ...size, changesPerDay: 0, lean: true, gates: 'all' },
    { ...size, changesPerDay: 50, lean: false, gates: 'default' },
    { ...size, changesPerDay: 50, lean: true, gates: 'default' },
  ]),
  { clusters: 10, hours: 24, changesPerDay: 50, lean: false, windowed: true, eks: true, gates: 'default' },
];

const { milliseconds, logBytesPerInvocation } = assumed;

/** The items of the estimate that depend on these counts, in USD a month. */
function toMonth({
  fifo,
  standard,
  reconciles,
  timers,
  resyncs,
  windows,
}: DayCounts): Readonly<Record<string, number>> {
  const invocations = reconciles + timers + resyncs + windows;
  const gbMs =
    deployed.memoryGb *
      (reconciles * milliseconds.reconcile + timers * milliseconds.timer + resyncs * milliseconds.resync) +
    deployed.windowedMemoryGb * windows * milliseconds.windowed;
  const day = {
    'Lambda requests': invocations * usdOf.lambdaRequest,
    'Lambda compute': (gbMs / 1000) * usdOf.lambdaGbSecondArm64,
    'SQS FIFO': fifo * usdOf.sqsFifoRequest,
    'SQS standard': standard * usdOf.sqsStandardRequest,
    'EventBridge Scheduler': (resyncs + windows) * usdOf.schedulerInvocation,
    'CloudWatch Logs': ((invocations * logBytesPerInvocation) / 1e9) * usdOf.logGb,
  };
  return Object.fromEntries(Object.entries(day).map(([name, usd]) => [name, usd * month.days]));
}

function sumOf(rows: Estimate['rows'], column: 'idle' | 'busy'): number {
  return rows.reduce((sum, row) => sum + row[column], 0);
}

it.each(cases)(
  '$clusters Clusters, $changesPerDay changes a day, lean: $lean, gates: $gates: the estimate fits the month',
  async ({
    gates,
    hours,
    ...input
  }: Omit<CostInput, 'layout'> & { readonly gates: string; readonly hours: number }) => {
    const running = gates === 'all' ? declarations : byDefault;
    const estimate = toEstimate(input, toShape(running));
    const { profile, rows } = estimate;
    const column = input.changesPerDay === 0 ? 'idle' : 'busy';
    const pollersOf = (queue: string): number =>
      profiles[input.lean ? 'lean' : 'default'].plumbing === 'uncapped' && !isFifo(queue)
        ? assumed.fewestPollers
        : assumed.pollers;
    const counted = toMonth(await simulateDay(running, { ...profile, ...input, pollersOf, hours }));
    const isCounted = ({ name }: { readonly name: string }): boolean =>
      Object.keys(counted).some(item => name.startsWith(item));
    const sums = Object.entries(counted).map(([item, usd]) => ({
      item,
      usd,
      estimated: sumOf(
        rows.filter(({ name }) => name.startsWith(item)),
        column,
      ),
    }));
    const fixed = sumOf(
      rows.filter(row => !isCounted(row)),
      column,
    );
    const sum = fixed + sums.reduce((total, { usd }) => total + usd, 0);
    const ratio = estimate.total[column] / sum;
    expect(ratio, `estimated ${estimate.total[column]}, counted ${sum}`).toBeGreaterThan(0.9);
    expect(ratio, `estimated ${estimate.total[column]}, counted ${sum}`).toBeLessThan(1.1);
    // The estimate of an item may be higher: it assumes that no two messages share a call or an invocation.
    for (const { item, usd, estimated } of sums) {
      expect(estimated / usd, `${item}: estimated ${estimated}, counted ${usd}`).toBeGreaterThan(0.9);
    }
  },
);
