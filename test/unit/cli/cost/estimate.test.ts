import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { chooseNode, type Estimate, toEstimate, toUsableMiB } from '../../../../cli/cost/estimate.ts';
import { type CostScenario, items, type Load, nodes, toLoad } from '../../../../cli/cost/items.ts';
import { toUsd } from '../../../../cli/cost/print.ts';
import { toShape } from '../../../../cli/cost/shape.ts';
import { declarations } from '../../../../functions/declarations.ts';
import { defaultFeatureGates, ofGates } from '../../../../packages/cluster-api/feature-gates.ts';

/** The shape of a deployment with default settings. */
const byDefault = toShape(ofGates(declarations, defaultFeatureGates));
const leanQuestion = { clusters: 10, changesPerDay: 50, lean: true };
const shape = {
  workQueues: 1,
  standardQueues: 2,
  reconcilersPerCluster: 1,
  targetsPerCluster: 1,
  listedKinds: 6,
  kindsPerCluster: 5,
};
const scenario: CostScenario = {
  ...shape,
  clusters: 10,
  changesPerDay: 0,
  windowed: false,
  resyncMinutes: 10,
  fullResyncMinutes: 1440,
  plumbing: 'capped',
  alarms: 'essential',
};
const silence = {
  resyncs: 0,
  resynced: 0,
  resyncSends: 0,
  resyncApiRequests: 0,
  windows: 0,
  reconciles: 0,
  invocations: 0,
};

function toRow({ rows }: Estimate, name: string) {
  return rows.find(row => row.name === name);
}

describe('the load of a month', () => {
  it.each<{ given: Partial<CostScenario>; load: Load; reason: string }>([
    {
      given: {},
      load: {
        resyncs: 4320,
        resynced: 300,
        resyncSends: 300,
        resyncApiRequests: 43_200,
        windows: 0,
        reconciles: 300,
        invocations: 4920,
      },
      reason: 'the resync enqueues each Cluster once a day, through a timer',
    },
    {
      given: { clusters: 1000, changesPerDay: 50 },
      load: {
        resyncs: 4320,
        resynced: 31_500,
        resyncSends: 7470,
        resyncApiRequests: 4320 * 15,
        windows: 0,
        reconciles: 34_500,
        invocations: 70_320,
      },
      reason: 'each change is enqueued by the resync once more, and 1,000 objects are two pages',
    },
    {
      given: { clusters: 0, resyncMinutes: Number.POSITIVE_INFINITY },
      load: silence,
      reason: 'nothing calls anything',
    },
    {
      given: { clusters: 11, resyncMinutes: 60, fullResyncMinutes: 60, targetsPerCluster: 2 },
      load: {
        resyncs: 720,
        resynced: 15_840,
        resyncSends: 2304,
        resyncApiRequests: 7200,
        windows: 0,
        reconciles: 15_840,
        invocations: 32_400,
      },
      reason: 'with equal periods, each resync enqueues every object',
    },
    {
      given: { resyncMinutes: Number.POSITIVE_INFINITY, changesPerDay: 50 },
      load: { ...silence, reconciles: 3000, invocations: 3000 },
      reason: 'a change and its echo wake the object',
    },
    {
      given: { resyncMinutes: Number.POSITIVE_INFINITY, windowed: true },
      load: { ...silence, windows: 43_200, invocations: 43_200 },
      reason: 'the windowed forwarder is called every minute',
    },
  ])('is right where $reason', ({ given, load }) => {
    expect(toLoad({ ...scenario, ...given })).toEqual(load);
  });
});

describe('an item', () => {
  const load = {
    ...silence,
    resyncs: 10,
    resynced: 20,
    resyncSends: 30,
    windows: 40,
    reconciles: 1000,
    invocations: 1_000_000,
  };
  it.each([
    { name: 'Lambda requests', usd: 0.2, reason: 'a million invocations' },
    {
      name: 'Lambda compute, arm64',
      usd: (0.5 * (300 + 2 + 10) + 0.25 * 100) * 0.0000133334,
      reason: 'half a GB by durations, a quarter for windows',
    },
    { name: 'SQS FIFO, empty receives', usd: 0.324, reason: '648,000 receives of one queue' },
    { name: 'SQS standard, empty receives', usd: 0.5184, reason: '648,000 receives of two queues' },
    { name: 'SQS FIFO, messages', usd: 0.002, reason: '4 requests a reconcile' },
    {
      name: 'SQS standard, messages',
      usd: 43_350 * 4e-7,
      reason: '3 requests for each object, sends, depth reads, heartbeats',
    },
    { name: 'EventBridge Scheduler', usd: 5e-5, reason: '50 calls' },
    { name: 'CloudWatch Logs ingestion', usd: 1, reason: '2 GB' },
    { name: 'CloudWatch alarms', usd: 0.6, reason: 'six metrics' },
    { name: 'CloudWatch metrics', usd: (0.3 * 100) / 720, reason: 'ten metrics in ten hours each' },
    { name: 'CloudWatch dashboards', usd: 0, reason: 'the first three are free' },
    { name: 'Secrets Manager, secret', usd: 0.4, reason: 'one kubeconfig' },
    { name: 'Secrets Manager, reads', usd: 1050 * 5e-6, reason: 'fewer invocations than reads that could be' },
  ])('$name costs $usd: $reason', ({ name, usd }) => {
    const item = items.find(one => one.name === name);
    expect((item?.count(load, scenario) ?? Number.NaN) * (item?.usdEach ?? 0)).toBeCloseTo(usd, 9);
  });

  it('polls standard queues less where their functions have no maximum concurrency, and FIFO queues as often', () => {
    const countOf = (name: string, plumbing: 'capped' | 'uncapped') =>
      items.find(item => item.name === name)?.count(load, { ...scenario, plumbing });
    const [standard, fifo] = ['SQS standard, empty receives', 'SQS FIFO, empty receives'];
    expect(countOf(standard ?? '', 'uncapped')).toBe((countOf(standard ?? '', 'capped') ?? 0) * (2 / 5));
    expect(countOf(fifo ?? '', 'uncapped')).toBe(countOf(fifo ?? '', 'capped'));
  });

  it('is in that table', () => {
    expect(items).toHaveLength(13);
  });

  it('reads a secret at most every five minutes, however often functions are called', () => {
    const reads = items.find(({ name }) => name === 'Secrets Manager, reads');
    expect(reads?.count({ ...silence, reconciles: 1e6 }, scenario)).toBe(8640);
  });
});

describe('a node', () => {
  it.each([
    { memoryMiB: 53, node: 't4g.nano', reason: 'all that the smallest has left' },
    { memoryMiB: 54, node: 't4g.micro', reason: 'a MiB more' },
    { memoryMiB: 85, node: 't4g.micro', reason: 'the manager' },
    { memoryMiB: 566, node: 't4g.small', reason: 'more than the second leaves' },
  ])('of $memoryMiB MiB is a $node: $reason', ({ memoryMiB, node }) => {
    expect(chooseNode(memoryMiB).name).toBe(node);
  });

  it('that holds too much is none', () => {
    expect(() => chooseNode(1e6)).toThrow('No node of the price list holds 1000000 MiB');
  });

  it('keeps memory for the kubelet and its daemons', () => {
    expect(nodes.map(toUsableMiB)).toEqual([53, 565, 1512]);
  });
});

describe('the estimate', () => {
  const estimate = toEstimate({ clusters: 10, changesPerDay: 50, lean: false }, shape);
  const lean = toEstimate({ clusters: 10, changesPerDay: 50, lean: true }, shape);

  it.each([
    { of: estimate, what: 'default' },
    { of: lean, what: 'lean' },
  ])('adds its rows up, $what', ({ of: { rows, total, vpcEndpointsUsd } }) => {
    expect(rows.reduce((sum, { idle }) => sum + idle, 0)).toBeCloseTo(total.idle, 9);
    expect(rows.reduce((sum, { busy }) => sum + busy, 0)).toBeCloseTo(total.busy, 9);
    expect(total.busy).toBeGreaterThan(total.idle);
    expect(vpcEndpointsUsd).toBeGreaterThan(total.idle);
  });

  it('has pods by default and none when lean, where a schedule calls the forwarder instead', () => {
    expect(toRow(estimate, 'Watch-forwarder')?.idle).toBeCloseTo((6.048 * 192) / 565, 9);
    expect(toRow(lean, 'Watch-forwarder')?.idle).toBe(0);
    expect(toRow(lean, 'Lambda compute, arm64')?.idle).toBeGreaterThan(43_200 * 2.5 * 0.25 * 0.0000133334);
  });

  it('keeps lean below 2 USD idle with the gates that are on by default', () => {
    expect(toEstimate(leanQuestion, byDefault).total.idle).toBeLessThan(2);
  });

  it('adds the pollers of the queue and the resync requests for each further reconciler', () => {
    const few = toEstimate(leanQuestion, byDefault);
    const all = toEstimate(leanQuestion, toShape(declarations));
    const pollers = (declarations.length - byDefault.workQueues) * 0.324;
    expect(all.total.idle - few.total.idle).toBeCloseTo(pollers + all.resync.usd - few.resync.usd, 1);
    // A Cluster has two reconcilers, and so have its MachineDeployment and its MachineSet together.
    expect(all.resync.invocations - few.resync.invocations).toBe(3 * 2 * 30 * leanQuestion.clusters);
  });

  it('keeps the resync of 1,000 idle Clusters with topology below 2 USD', () => {
    const idle = { clusters: 1000, changesPerDay: 0 };
    const all = toShape(declarations);
    expect(toEstimate({ ...idle, lean: false }, all).resync.usd).toBeLessThan(2);
    expect(toEstimate({ ...idle, lean: true }, all).resync.usd).toBeLessThan(2);
  });

  it('reports the share of the resync: a resync each period, and a timer and a reconcile for each Cluster and day', () => {
    expect(estimate.resync).toMatchObject({ invocations: 4920, apiRequests: 46_500 });
    const none = toEstimate({ clusters: 0, changesPerDay: 0, lean: false }, shape);
    expect(none.resync.usd).toBeGreaterThan(0);
    expect(none.resync.usd).toBeLessThan(estimate.resync.usd);
  });

  it('compares with a manager on a node of its own, and by its share', () => {
    expect(estimate.manager.node).toBe('t4g.micro');
    expect(estimate.manager.ownNodeUsd).toBeCloseTo(6.048, 9);
    expect(estimate.manager.shareUsd).toBeCloseTo((6.048 * 85) / 565, 9);
  });
});

describe('the documents', () => {
  const root = path.resolve(import.meta.dirname, '../../../..');
  const costs = readFileSync(path.join(root, 'docs/costs.md'), 'utf8');
  const readme = readFileSync(path.join(root, 'README.md'), 'utf8');

  it('reports the number of Clusters from which the default costs more than 5 USD idle', () => {
    const [, text = ''] = /above ([\d,]+) Clusters the default passes 5 USD/.exec(costs) ?? [];
    const said = Number(text.replaceAll(',', ''));
    const idleOf = (clusters: number): number =>
      toEstimate({ clusters, changesPerDay: 0, lean: false }, byDefault).total.idle;
    expect(idleOf(said - 10)).toBeLessThan(5);
    expect(idleOf(said + 10)).toBeGreaterThan(5);
  });

  it('shows the same estimate as the tool', () => {
    const [standard, lean] = [false, true].map(isLean =>
      toEstimate({ clusters: 10, changesPerDay: 50, lean: isLean }, byDefault),
    );
    const sums = [standard?.total, lean?.total].flatMap(total => [total?.idle ?? 0, total?.busy ?? 0]);
    const rows = (standard?.rows ?? []).map((row, at) => {
      const other = lean?.rows[at];
      return { name: row.name, cells: [row.idle, row.busy, other?.idle ?? 0, other?.busy ?? 0] };
    });
    const lines = [...rows, { name: '**sum**', cells: sums }].map(
      ({ name, cells }) => `| ${name} | ${cells.map(toUsd).join(' | ')} |`,
    );
    const table = costs.split(/<!-- cost: .* -->\n|<!-- end of cost -->/)[1];
    const head = ['| USD a month | default, idle | busy | lean, idle | busy |', '|---|---:|---:|---:|---:|'];
    expect(table).toBe([...head, ...lines, ''].join('\n'));
  });

  it('the README has the same figures', () => {
    const [, short = ''] = /<!-- cost in short: .* -->\n([\s\S]*?)\n## /.exec(readme) ?? [];
    const busyOf = (clusters: number, lean: boolean): number =>
      toEstimate({ clusters, changesPerDay: 50, lean }, byDefault).total.busy;
    const { manager } = toEstimate({ clusters: 10, changesPerDay: 50, lean: false }, byDefault);
    const perThousand = [false, true].map(lean => toUsd(busyOf(1010, lean) - busyOf(10, lean)));
    expect([...short.matchAll(/\d+\.\d\d/g)].map(([amount]) => amount)).toEqual([
      ...[toUsd(busyOf(10, false)), toUsd(busyOf(10, true)), ...perThousand],
      ...[toUsd(manager.ownNodeUsd), toUsd(manager.shareUsd)],
    ]);
  });
});
