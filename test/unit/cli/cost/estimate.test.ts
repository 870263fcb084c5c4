import { defaultFeatureGates, ofGates } from '@capi-serverless/cluster-api/feature-gates';
import { describe, expect, it } from 'vitest';
import { chooseNode, type Estimate, estimateOf, toEstimate, toUsableMiB } from '../../../../cli/cost/estimate.ts';
import { type CostScenario, deployed, items, type Load, nodes, profiles, toLoad } from '../../../../cli/cost/items.ts';
import { toUsd } from '../../../../cli/cost/print.ts';
import { toShape } from '../../../../cli/cost/shape.ts';
import { toUnits } from '../../../../cli/cost/units.ts';
import { declarations } from '../../../../functions/declarations.ts';
import { mostAtOnce } from '../../../../functions/resync/send-plan.ts';

/** The shape of a deployment with default settings. */
const byDefault = toShape(ofGates(declarations, defaultFeatureGates));
const leanQuestion = { clusters: 10, changesPerDay: 50, lean: true };
const shape = {
  reconcilers: 1,
  standardQueues: 2,
  reconcilersPerCluster: 1,
  targetsPerCluster: 1,
  listedKinds: 6,
  kindsPerCluster: 5,
};
const units = toUnits(profiles.default, shape);
const scenario: CostScenario = { ...shape, ...profiles.default, units, clusters: 10, changesPerDay: 0 };
const silence = {
  resyncs: 0,
  resynced: 0,
  timed: 0,
  timerSends: 0,
  workSends: 0,
  resyncApiRequests: 0,
  windows: 0,
  windowApiRequests: 0,
  reconciles: 0,
  invocations: 0,
};

function rowsOf({ rows }: Estimate, pattern: RegExp) {
  return rows.filter(({ name }) => pattern.test(name));
}

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
        timed: 0,
        timerSends: 0,
        workSends: 300,
        resyncApiRequests: 51_840,
        windows: 0,
        windowApiRequests: 0,
        reconciles: 300,
        invocations: 4620,
      },
      reason: 'the resync enqueues each Cluster once a day, without a timer',
    },
    {
      given: { clusters: 1000, changesPerDay: 50 },
      load: {
        resyncs: 4320,
        resynced: 31_500,
        timed: 1500,
        timerSends: 1500,
        workSends: 7320,
        resyncApiRequests: 4320 * 17,
        windows: 0,
        windowApiRequests: 0,
        reconciles: 34_500,
        invocations: 40_320,
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
        timed: 0,
        timerSends: 0,
        workSends: 3024,
        resyncApiRequests: 8640,
        windows: 0,
        windowApiRequests: 0,
        reconciles: 15_840,
        invocations: 16_560,
      },
      reason: 'with equal periods, each resync enqueues every object',
    },
    {
      given: { clusters: 301, resyncMinutes: 60, fullResyncMinutes: 60 },
      load: {
        resyncs: 720,
        resynced: 216_720,
        timed: 720,
        timerSends: 720,
        workSends: 22_320,
        resyncApiRequests: 8640,
        windows: 0,
        windowApiRequests: 0,
        reconciles: 216_720,
        invocations: 218_160,
      },
      reason: 'each object of one resync beyond the first 300 gets a timer',
    },
    {
      given: { resyncMinutes: Number.POSITIVE_INFINITY, changesPerDay: 50 },
      load: { ...silence, reconciles: 3000, invocations: 3000 },
      reason: 'a change and its echo wake the object',
    },
    {
      given: { resyncMinutes: Number.POSITIVE_INFINITY, windowed: true },
      load: { ...silence, windows: 43_200, windowApiRequests: 43_200 * 11, invocations: 43_200 },
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
    resynced: 420,
    timed: 20,
    timerSends: 30,
    workSends: 50,
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
    { name: 'SQS FIFO, messages', usd: 3650 * 5e-7, reason: '4 requests a reconcile, sends in tens' },
    {
      name: 'SQS standard, messages',
      usd: 43_350 * 4e-7,
      reason: '3 requests for each timer, sends, depth reads, heartbeats',
    },
    { name: 'EventBridge Scheduler', usd: 5e-5, reason: '50 calls' },
    { name: 'CloudWatch Logs ingestion', usd: 0.65, reason: '1.3 GB' },
    { name: 'CloudWatch alarms', usd: 0.9, reason: 'errors of three functions, and six others' },
    { name: 'CloudWatch metrics', usd: (0.3 * 110) / 720, reason: 'eleven metrics in ten hours each' },
    { name: 'CloudWatch dashboards', usd: 0, reason: 'the first three are free' },
    { name: 'Secrets Manager, secret', usd: 0.4, reason: 'one kubeconfig' },
    { name: 'Secrets Manager, reads', usd: 1050 * 5e-6, reason: 'fewer invocations than reads that could be' },
  ])('$name costs $usd: $reason', ({ name, usd }) => {
    const item = items.find(one => one.name === name);
    expect((item?.count(load, { ...scenario, changesPerDay: 50 }) ?? Number.NaN) * (item?.usdEach ?? 0)).toBeCloseTo(
      usd,
      9,
    );
  });

  it('polls standard queues less where their functions have no maximum concurrency, and FIFO queues as often', () => {
    const countOf = (name: string, plumbing: 'capped' | 'uncapped') =>
      items
        .find(item => item.name === name)
        ?.count(load, { ...scenario, units: toUnits({ ...profiles.default, plumbing }, shape) });
    const [standard, fifo] = ['SQS standard, empty receives', 'SQS FIFO, empty receives'];
    expect(countOf(standard ?? '', 'uncapped')).toBe((countOf(standard ?? '', 'capped') ?? 0) * (2 / 5));
    expect(countOf(fifo ?? '', 'uncapped')).toBe(countOf(fifo ?? '', 'capped'));
  });

  it.each([
    { dashboards: [50, 50, 50], paid: 0 },
    { dashboards: [50, 51, 50], paid: 1 },
    { dashboards: [50, 50, 50, 50, 51], paid: 2 },
    { dashboards: [], paid: 0 },
  ])('counts $paid paid dashboards with $dashboards metrics', ({ dashboards, paid }) => {
    const item = items.find(({ name }) => name === 'CloudWatch dashboards');
    expect(item?.count(load, { ...scenario, units: { ...units, dashboards } })).toBe(paid);
  });

  it('of metrics costs nothing without a change', () => {
    const metrics = items.find(({ name }) => name === 'CloudWatch metrics');
    expect(metrics?.count(load, { ...scenario, changesPerDay: 0 })).toBe(0);
  });

  it('is in that table', () => {
    expect(items).toHaveLength(13);
  });

  it('reads a secret at most every five minutes in each function, however often functions are called', () => {
    const reads = items.find(({ name }) => name === 'Secrets Manager, reads');
    const often = { ...silence, reconciles: 1e6 };
    expect(reads?.count(often, scenario)).toBe(8640);
    expect(reads?.count(often, { ...scenario, units: { ...units, workQueues: 3 } })).toBe(3 * 8640);
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
  ])('adds its rows up, $what', ({ of: { rows, total } }) => {
    expect(rows.reduce((sum, { idle }) => sum + idle, 0)).toBeCloseTo(total.idle, 9);
    expect(rows.reduce((sum, { busy }) => sum + busy, 0)).toBeCloseTo(total.busy, 9);
    expect(total.busy).toBeGreaterThan(total.idle);
  });

  it('has pods by default and none when lean, where a schedule calls the forwarder instead', () => {
    expect(toRow(estimate, 'Watch-forwarder')?.idle).toBeCloseTo((6.048 * 192) / 565, 9);
    expect(toRow(lean, 'Watch-forwarder')?.idle).toBe(0);
    expect(toRow(lean, 'Lambda compute, arm64')?.idle).toBeGreaterThan(43_200 * 2.5 * 0.25 * 0.0000133334);
  });

  it('has no secret and no reads of one on EKS', () => {
    const eks = toEstimate({ ...leanQuestion, eks: true }, shape);
    const secrets = rowsOf(lean, /^Secrets Manager/).reduce((sum, { idle }) => sum + idle, 0);
    expect(rowsOf(eks, /^Secrets Manager/).map(({ idle, busy }) => [idle, busy])).toEqual([
      [0, 0],
      [0, 0],
    ]);
    expect(lean.total.idle - eks.total.idle).toBeCloseTo(secrets, 9);
  });

  it('has no pods with a windowed forwarder, and the rest of the default', () => {
    const windowed = toEstimate({ clusters: 10, changesPerDay: 50, lean: false, windowed: true }, shape);
    expect(toRow(windowed, 'Watch-forwarder')?.idle).toBe(0);
    expect(toRow(windowed, 'Lambda compute, arm64')?.idle).toBeGreaterThan(43_200 * 2.5 * 0.25 * 0.0000133334);
    expect(windowed.profile).toMatchObject({ name: 'default', windowed: true, resyncMinutes: 10 });
  });

  it('has the pollers of one work queue in the layout compact, and the rest of the default', () => {
    const compact = toEstimate({ clusters: 10, changesPerDay: 50, lean: false, layout: 'compact' }, shape);
    const pollersOf = (of: typeof estimate): number => toRow(of, 'SQS FIFO, empty receives')?.idle ?? 0;
    expect(pollersOf(compact)).toBeCloseTo(pollersOf(estimate) / shape.reconcilers, 9);
    expect(estimate.total.idle - compact.total.idle).toBeCloseTo(pollersOf(estimate) - pollersOf(compact), 9);
  });

  it('names what only some deployments need beside the sum', () => {
    expect(estimate.extras.map(({ name, usd }) => [name, toUsd(usd)])).toEqual([
      ['VPC interface endpoints', '28.80'],
      ['NAT gateway', toUsd(32.4 + (10 * 4320 * 4500 * 0.045) / 1e9)],
      ['Audit log of EKS', toUsd((estimate.resync.apiRequests * 2000 * 0.5) / 1e9)],
      ['Admission webhooks', '0.60'],
      ['Conversion webhook', '0.60'],
    ]);
    expect(estimate.extras[1]?.how).toContain('0.2 GB of compressed lists');
    expect(estimate.extras.at(-2)?.how).toContain('and 0.0011 for 1,000 writes');
    expect(estimate.extras.at(-1)?.how).toContain('and 0.0005 for 1,000 stored changes');
    const [, , audit] = toEstimate({ ...leanQuestion, eks: true }, shape).extras;
    const windows = 43_200 * (5 + shape.listedKinds);
    expect(audit?.usd).toBeCloseTo(((lean.resync.apiRequests + windows) * 2000 * 0.5) / 1e9, 9);
  });

  it('does not name the fixed costs of a webhook that the deployment has beside the sum', () => {
    const { profile } = toEstimate({ ...leanQuestion, eks: true }, shape);
    const { extras } = estimateOf(leanQuestion, { profile, kinds: shape, units, webhooks: ['conversion'] });
    expect(extras.slice(-2)).toMatchObject([
      { name: 'Admission webhooks', usd: 0.6000000000000001 },
      { name: 'Conversion webhook', usd: 0, how: '0.0005 for 1,000 stored changes' },
    ]);
  });

  it.each([
    { gates: 'those that are on by default', of: byDefault },
    { gates: 'all', of: toShape(declarations) },
  ])('keeps lean below 2 USD idle with $gates of the feature gates', ({ of }) => {
    expect(toEstimate(leanQuestion, of).total.idle).toBeLessThan(2);
  });

  it('does not grow with the number of reconcilers when lean, but for the resync', () => {
    const all = toShape(declarations);
    const more = toEstimate(leanQuestion, { ...all, reconcilers: all.reconcilers + 20 });
    expect(more.total.idle).toBeCloseTo(toEstimate(leanQuestion, all).total.idle, 9);
  });

  it('adds pollers, an alarm metric and resync requests for each further reconciler by default', () => {
    const question = { ...leanQuestion, lean: false };
    const few = toEstimate(question, byDefault);
    const all = toEstimate(question, toShape(declarations));
    const each = 0.324 + 0.1;
    const further = (declarations.length - byDefault.reconcilers) * each;
    expect(all.total.idle - few.total.idle).toBeCloseTo(further + all.resync.usd - few.resync.usd, 1);
    // A Cluster has two reconcilers, and so have its MachineDeployment and its MachineSet together.
    expect(all.resync.invocations - few.resync.invocations).toBe(3 * 30 * leanQuestion.clusters);
  });

  it('has no cost of pools and resource sets without their gates', () => {
    const gates = { ...defaultFeatureGates, MachinePool: false, ClusterResourceSet: false };
    const reconcilers = ['clusterresourceset', 'clusterresourcesetbinding', 'machinepool'];
    const others = toShape(declarations.filter(({ name, gate }) => !reconcilers.includes(name) && gate === undefined));
    const without = toShape(ofGates(declarations, gates));
    // Clusters list MachinePools with their gate only.
    expect(without).toEqual({ ...others, listedKinds: others.listedKinds - 1 });
    const question = { ...leanQuestion, lean: false };
    const saved = toEstimate(question, byDefault).total.idle - toEstimate(question, without).total.idle;
    expect(saved).toBeGreaterThan(3 * 0.32);
  });

  it('keeps the resync of 1,000 idle Clusters with topology below 2.5 USD', () => {
    const idle = { clusters: 1000, changesPerDay: 0 };
    const all = toShape(declarations);
    expect(toEstimate({ ...idle, lean: false }, all).resync.usd).toBeLessThan(2.5);
    expect(toEstimate({ ...idle, lean: true }, all).resync.usd).toBeLessThan(2);
  });

  it('counts as many objects without a timer as the resync enqueues at once', () => {
    expect(deployed.mostAtOnce).toBe(mostAtOnce);
  });

  it('reports the share of the resync: a resync each period, and a reconcile for each Cluster and day', () => {
    expect(estimate.resync).toMatchObject({ invocations: 4620, apiRequests: 55_140 });
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
