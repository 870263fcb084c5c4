// The data of the estimate: measured or assumed usage of the product, and the formula of each item.
import type { BillableUnits } from '../../infra/billable-units.ts';
import { freeDashboards, month, usdOf } from '../../infra/prices.ts';
import type { WorkQueueLayout } from '../../shared/workqueue/queue-specs.ts';

/** The nodes, cheapest first. */
export const nodes = [
  { name: 't4g.nano', memoryMiB: 512, maxPods: 4, usdPerHour: 0.0042 },
  { name: 't4g.micro', memoryMiB: 1024, maxPods: 4, usdPerHour: 0.0084 },
  { name: 't4g.small', memoryMiB: 2048, maxPods: 11, usdPerHour: 0.0168 },
] as const;

export type NodeType = (typeof nodes)[number];

/** The resources of a deployment. test/infra/cost.test.ts compares them with a synthesized stack. */
export const deployed = {
  memoryGb: 0.5,
  windowedMemoryGb: 0.25,
  /** The kubeconfig. A deployment for an EKS cluster has none. */
  secrets: { kubeconfig: 1, eks: 0 },
  /**
   * The metrics of the alarms of level `essential`. Dead letters, waiting messages, missed events, and the two for the
   * silence of the resync are always included. Level `errors` has only those of each function.
   */
  alarmMetrics: { perFunction: 1, perForwarder: 1, perWindowedForwarder: 2, always: 5 },
  /** What a deployment with the admission function has more. */
  admission: { secrets: 1, alarmMetrics: 2, reviews: 2 },
  /** The same with the conversion function. A stored change is converted once while v1beta1 is served. */
  conversion: { secrets: 1, alarmMetrics: 2, reviews: 1 },
  /** The metrics of level `few`. Each one is published only when its event occurs. */
  rareMetrics: 11,
  /** At most: widgets that would make a dashboard exceed its free metrics are left out. */
  dashboardMetrics: freeDashboards.metrics,
  windowedPeriodMinutes: 1,
  /** The unchanged objects that one resync enqueues without timers. */
  mostAtOnce: 300,
  /** The resource requests of the pods of the watch-forwarder. */
  forwarder: { replicas: 2, memoryMiB: 96, heartbeatSeconds: 120 },
} as const;

/** Durations on Lambda were never measured. These values are conservative guesses that include cold starts. */
export const assumed = {
  milliseconds: { reconcile: 300, timer: 100, resync: 1000, windowed: 2500, review: 50 },
  /** The lines of a settled reconcile and of Lambda: test/unit/cli/cost/log-bytes.test.ts. */
  logBytesPerInvocation: 1300,
  /** The hours per month in which each rare metric is published. */
  rareHours: 10,
  /** A change enqueues its object once, and the write of the reconcile enqueues it again. */
  reconcilesPerChange: 2,
  /** The objects per page of a list, and the requests of a resync besides lists: its ConfigMap and four definitions. */
  pageSize: 500,
  fixedRequestsPerResync: 6,
  /** The requests of a window besides one watch of each kind: its ConfigMap and four definitions. */
  fixedRequestsPerWindow: 5,
  /** The requests for a settled Cluster with Machines, including its workload cluster. */
  apiRequestsPerReconcile: 11,
  /**
   * The pollers of an event source mapping without maximum concurrency, at their minimum number. AWS documents this
   * minimum only for standard queues, so it is not assumed for FIFO queues:
   * https://docs.aws.amazon.com/lambda/latest/dg/services-sqs-scaling.html
   */
  pollers: 5,
  fewestPollers: 2,
  pollSeconds: 20,
  batchSize: 10,
  secretReadMinutes: 5,
  /** Upstream's manager with 200 Clusters. */
  managerMiB: 85,
  /** The memory of a node that is reserved for the kubelet: https://github.com/awslabs/amazon-eks-ami */
  kubeletMiB: { base: 255, perPod: 11, eviction: 100 },
  /** The network and proxy daemons of a node. */
  daemonsMiB: 60,
  endpoints: { services: 2, zones: 2 },
  /**
   * The compressed lists of one resync, for each Cluster with topology and two MachineDeployments:
   * test/virtual/listed-bytes.test.ts.
   */
  listedBytesPerCluster: 4500,
  /** An audit event with the request and the answer, as EKS writes it to CloudWatch Logs. */
  auditBytesPerRequest: 2000,
} as const;

export interface Profile {
  /** Whether pods in the management cluster forward events. */
  readonly forwarder: boolean;
  /** Whether a function that a schedule invokes does. */
  readonly windowed: boolean;
  /** The resync period. `Infinity` means never. */
  readonly resyncMinutes: number;
  /** Each object is reconciled once in this time without a change. */
  readonly fullResyncMinutes: number;
  readonly layout: WorkQueueLayout;
  readonly apiServer: 'kubeconfig' | 'eks';
}

/** What else is known of a deployment without its template. */
export interface AssumedProfile extends Profile {
  /** Whether the functions behind the delay and expand queues have a maximum concurrency. */
  readonly plumbing: 'capped' | 'uncapped';
  readonly alarms: 'essential' | 'errors';
}

export const profiles = {
  default: {
    forwarder: true,
    windowed: false,
    resyncMinutes: 10,
    fullResyncMinutes: 1440,
    plumbing: 'capped',
    layout: 'per-kind',
    apiServer: 'kubeconfig',
    alarms: 'essential',
  },
  lean: {
    forwarder: false,
    windowed: true,
    resyncMinutes: 60,
    fullResyncMinutes: 1440,
    plumbing: 'uncapped',
    layout: 'compact',
    apiServer: 'kubeconfig',
    alarms: 'errors',
  },
} as const satisfies Record<string, AssumedProfile>;

/** Figures that are derived from the declarations: the kinds that are reconciled, listed and watched. */
export interface KindFigures {
  readonly reconcilersPerCluster: number;
  /** The reconciles of a Cluster with one MachineDeployment and one MachineSet, if each object is reconciled once. */
  readonly targetsPerCluster: number;
  /** The kinds that a resync lists: declared ones, the infrastructure and the control plane. */
  readonly listedKinds: number;
  /** Those of them of which a Cluster has an object. The others are assumed to fit into one page. */
  readonly kindsPerCluster: number;
}

export interface DeclaredFigures extends KindFigures {
  readonly reconcilers: number;
  readonly standardQueues: number;
}

export interface CostScenario extends Profile, KindFigures {
  readonly units: BillableUnits;
  readonly clusters: number;
  readonly changesPerDay: number;
}

/** Monthly totals. All values are counts. */
export interface Load {
  readonly resyncs: number;
  /** The requests that resyncs send: one for each target per full period, and one for each change. */
  readonly resynced: number;
  /** Those of them that wait in the delay queue: changed objects, and those beyond the limit of a resync. */
  readonly timed: number;
  /** The sends of resyncs to the delay queue, and to work queues. */
  readonly timerSends: number;
  readonly workSends: number;
  /** The requests of resyncs to the API server. */
  readonly resyncApiRequests: number;
  readonly windows: number;
  /** The requests of windows to the API server. */
  readonly windowApiRequests: number;
  readonly reconciles: number;
  readonly invocations: number;
}

export function toLoad({
  clusters,
  reconcilersPerCluster,
  targetsPerCluster,
  listedKinds,
  kindsPerCluster,
  changesPerDay,
  windowed,
  resyncMinutes,
  fullResyncMinutes,
}: CostScenario): Load {
  const resyncs = month.minutes / resyncMinutes;
  const unchanged = (clusters * targetsPerCluster * month.minutes) / Math.max(resyncMinutes, fullResyncMinutes);
  const changed = resyncs === 0 ? 0 : changesPerDay * month.days * reconcilersPerCluster;
  const resynced = unchanged + changed;
  const atOnce = Math.min(unchanged, resyncs * deployed.mostAtOnce);
  const timed = resynced - atOnce;
  const furtherPages = Math.max(0, Math.ceil(clusters / assumed.pageSize) - 1);
  const listsPerResync = listedKinds + kindsPerCluster * furtherPages;
  const windows = windowed ? month.minutes / deployed.windowedPeriodMinutes : 0;
  const reconciles = resynced + changesPerDay * month.days * assumed.reconcilesPerChange;
  return {
    resyncs,
    resynced,
    timed,
    timerSends: Math.min(timed, resyncs + timed / assumed.batchSize),
    workSends: Math.min(atOnce, resyncs * targetsPerCluster + atOnce / assumed.batchSize),
    resyncApiRequests: resyncs * (assumed.fixedRequestsPerResync + listsPerResync),
    windows,
    windowApiRequests: windows * (assumed.fixedRequestsPerWindow + listedKinds),
    reconciles,
    invocations: reconciles + timed + resyncs + windows,
  };
}

interface Item {
  readonly name: string;
  readonly usdEach: number;
  readonly how: string;
  readonly count: (load: Load, scenario: CostScenario) => number;
}

const { milliseconds, pollers, fewestPollers, pollSeconds, logBytesPerInvocation, secretReadMinutes } = assumed;
const receivesOfPoller = month.seconds / pollSeconds;

/** A function reads a secret again after its cached value has expired, and never while it is idle. */
function toSecretReads(invocations: number, functions = 1): number {
  return Math.min(invocations, (functions * month.minutes) / secretReadMinutes);
}

const heartbeats = (deployed.forwarder.replicas * month.seconds) / deployed.forwarder.heartbeatSeconds;

/** A dashboard with more metrics is never free. */
function toPaidDashboards(dashboards: BillableUnits['dashboards']): number {
  const small = dashboards.filter(metrics => metrics <= freeDashboards.metrics).length;
  return dashboards.length - Math.min(small, freeDashboards.count);
}

/** The items that AWS bills, without the cost of a node. */
export const items: readonly Item[] = [
  {
    name: 'Lambda requests',
    usdEach: usdOf.lambdaRequest,
    how: 'a reconcile each; a timer each changed object that a resync finds; resyncs; windows',
    count: load => load.invocations,
  },
  {
    name: 'Lambda compute, arm64',
    usdEach: usdOf.lambdaGbSecondArm64,
    how: `${deployed.memoryGb} GB for ${milliseconds.reconcile} ms a reconcile, ${milliseconds.timer} a timer, ${milliseconds.resync} a resync; ${deployed.windowedMemoryGb} GB for ${milliseconds.windowed} ms a window`,
    count: ({ reconciles, timed, resyncs, windows }) =>
      (deployed.memoryGb / 1000) *
        (reconciles * milliseconds.reconcile + timed * milliseconds.timer + resyncs * milliseconds.resync) +
      (deployed.windowedMemoryGb / 1000) * windows * milliseconds.windowed,
  },
  {
    name: 'SQS FIFO, empty receives',
    usdEach: usdOf.sqsFifoRequest,
    how: `${pollers} pollers every ${pollSeconds} s for each work queue (lean: all reconcilers share one)`,
    count: (_load, { units }) => units.workQueues * pollers * receivesOfPoller,
  },
  {
    name: 'SQS standard, empty receives',
    usdEach: usdOf.sqsStandardRequest,
    how: `${pollers} pollers (lean: ${fewestPollers}) every ${pollSeconds} s for each of delay and expand`,
    count: (_load, { units }) =>
      (units.cappedQueues * pollers + units.uncappedQueues * fewestPollers) * receivesOfPoller,
  },
  {
    name: 'SQS FIFO, messages',
    usdEach: usdOf.sqsFifoRequest,
    how: 'send, receive, hide, delete for each reconcile; resyncs send in tens',
    count: ({ reconciles, resynced, timed, workSends }) => reconciles * 4 - (resynced - timed) + workSends,
  },
  {
    name: 'SQS standard, messages',
    usdEach: usdOf.sqsStandardRequest,
    how: `receive, hide, delete for each timer of a resync; sends in tens; queue attributes; heartbeats of the pods every ${deployed.forwarder.heartbeatSeconds} s`,
    count: ({ resyncs, timed, timerSends }, { units, forwarder }) =>
      timed * 3 +
      timerSends +
      resyncs * 2 * (units.workQueues + units.cappedQueues + units.uncappedQueues) +
      (forwarder ? heartbeats : 0),
  },
  {
    name: 'EventBridge Scheduler',
    usdEach: usdOf.schedulerInvocation,
    how: 'resyncs and windows',
    count: ({ resyncs, windows }) => resyncs + windows,
  },
  {
    name: 'CloudWatch Logs ingestion',
    usdEach: usdOf.logGb,
    how: `${logBytesPerInvocation} bytes an invocation`,
    count: ({ invocations }) => (invocations * logBytesPerInvocation) / 1e9,
  },
  {
    name: 'CloudWatch alarms',
    usdEach: usdOf.alarmMonth,
    how: 'metrics of the alarms: errors of each function, dead letters, messages that wait, the resync, the forwarder, missed events; lean: errors',
    count: (_load, { units }) => units.alarmMetrics,
  },
  {
    name: 'CloudWatch metrics',
    usdEach: usdOf.metricMonth,
    how: `${deployed.rareMetrics} that are sent in ${assumed.rareHours} hours of a month with changes`,
    count: (_load, { changesPerDay }) =>
      changesPerDay === 0 ? 0 : (deployed.rareMetrics * assumed.rareHours) / month.hours,
  },
  {
    name: 'CloudWatch dashboards',
    usdEach: usdOf.dashboardMonth,
    how: `with more than ${freeDashboards.metrics} metrics, and beyond the first ${freeDashboards.count} of the account`,
    count: (_load, { units }) => toPaidDashboards(units.dashboards),
  },
  {
    name: 'Secrets Manager, secret',
    usdEach: usdOf.secretMonth,
    how: 'the kubeconfig; none with apiServer.kind: eks',
    count: (_load, { units }) => units.secrets,
  },
  {
    name: 'Secrets Manager, reads',
    usdEach: usdOf.secretRead,
    how: `at most every ${secretReadMinutes} min for each function that reaches the API server`,
    count: ({ reconciles, resyncs, windows }, scenario) =>
      scenario.apiServer === 'eks'
        ? 0
        : toSecretReads(reconciles, scenario.units.workQueues) + toSecretReads(resyncs) + toSecretReads(windows),
  },
];
