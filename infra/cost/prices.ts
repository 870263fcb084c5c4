// All that the estimate knows: prices, what the product was measured or is assumed to use, and the formula of each item.

/** The prices are of one region, and of pages that quote AWS: compare with `pages` before you rely on a sum. */
export const source = {
  region: 'us-east-1',
  asOf: '2026-06',
  isCheckedAgainstAws: false,
  pages: [
    'https://aws.amazon.com/lambda/pricing/',
    'https://aws.amazon.com/sqs/pricing/',
    'https://aws.amazon.com/eventbridge/pricing/',
    'https://aws.amazon.com/cloudwatch/pricing/',
    'https://aws.amazon.com/secrets-manager/pricing/',
    'https://aws.amazon.com/ec2/pricing/on-demand/',
    'https://aws.amazon.com/privatelink/pricing/',
  ],
} as const;

/** USD for one of each, free tiers left aside. */
export const usdOf = {
  lambdaRequest: 0.2 / 1e6,
  lambdaGbSecondArm64: 0.0000133334,
  sqsFifoRequest: 0.5 / 1e6,
  sqsStandardRequest: 0.4 / 1e6,
  schedulerInvocation: 1 / 1e6,
  logGb: 0.5,
  alarmMonth: 0.1,
  secretMonth: 0.4,
  secretRead: 0.05 / 1e4,
  endpointHour: 0.01,
} as const;

/** Cheapest first. */
export const nodes = [
  { name: 't4g.nano', memoryMiB: 512, maxPods: 4, usdPerHour: 0.0042 },
  { name: 't4g.micro', memoryMiB: 1024, maxPods: 4, usdPerHour: 0.0084 },
  { name: 't4g.small', memoryMiB: 2048, maxPods: 11, usdPerHour: 0.0168 },
] as const;

export type Node = (typeof nodes)[number];

const days = 30;

export const month = { days, hours: days * 24, minutes: days * 1440, seconds: days * 86_400 } as const;

/** What a deployment is made of; test/infra/cost.test.ts compares it with a synthesised stack. */
export const deployed = {
  memoryGb: 0.5,
  secrets: 1,
  alarms: 0,
  windowedPeriodMinutes: 1,
  /** What the pods of the watch-forwarder request. */
  forwarder: { replicas: 2, memoryMiB: 96 },
} as const;

/** Times on Lambda were never measured: they are guesses on the careful side, with cold starts in them. */
export const assumed = {
  milliseconds: { reconcile: 300, timer: 100, resync: 500, windowed: 5000 },
  logBytesPerInvocation: 1500,
  /** A change wakes its object once, and what the reconcile wrote once more. */
  reconcilesPerChange: 2,
  /** Of a settled Cluster with Machines, its workload cluster included. */
  apiRequestsPerReconcile: 11,
  /** Pollers of an event source mapping; with a maximum concurrency, which the stack sets, they never become fewer. */
  pollers: 5,
  pollSeconds: 20,
  batchSize: 10,
  secretReadMinutes: 5,
  /** Of upstream's manager with 200 Clusters. */
  managerMiB: 85,
  /** Of a node's memory for the kubelet: https://github.com/awslabs/amazon-eks-ami */
  kubeletMiB: { base: 255, perPod: 11, eviction: 100 },
  /** Network and proxy daemons of a node. */
  daemonsMiB: 60,
  endpoints: { services: 2, zones: 2 },
} as const;

export interface Profile {
  /** The forwarder that a schedule calls, instead of pods in the management cluster. */
  readonly windowed: boolean;
  /** `Infinity`: never. */
  readonly resyncMinutes: number;
}

export const profiles = {
  default: { windowed: false, resyncMinutes: 10 },
  lean: { windowed: true, resyncMinutes: 60 },
} as const satisfies Record<string, Profile>;

/** What follows from the declarations. */
export interface Shape {
  readonly workQueues: number;
  readonly standardQueues: number;
  readonly reconcilersPerCluster: number;
}

export interface Scenario extends Profile, Shape {
  readonly clusters: number;
  readonly changesPerDay: number;
}

/** What happens in a month; all counts. */
export interface Load {
  readonly resyncs: number;
  /** Requests that resyncs send. */
  readonly resynced: number;
  readonly resyncSends: number;
  readonly windows: number;
  readonly reconciles: number;
  readonly invocations: number;
}

export function toLoad({ clusters, reconcilersPerCluster, changesPerDay, windowed, resyncMinutes }: Scenario): Load {
  const objects = clusters * reconcilersPerCluster;
  const resyncs = month.minutes / resyncMinutes;
  const resynced = resyncs * objects;
  const windows = windowed ? month.minutes / deployed.windowedPeriodMinutes : 0;
  const reconciles = resynced + changesPerDay * month.days * assumed.reconcilesPerChange;
  return {
    resyncs,
    resynced,
    resyncSends: resyncs * Math.ceil(objects / assumed.batchSize),
    windows,
    reconciles,
    invocations: reconciles + resynced + resyncs + windows,
  };
}

export interface Item {
  readonly name: string;
  readonly usdEach: number;
  readonly how: string;
  readonly count: (load: Load, scenario: Scenario) => number;
}

const { milliseconds, pollers, pollSeconds, logBytesPerInvocation, secretReadMinutes } = assumed;
const emptyReceives = (pollers * month.seconds) / pollSeconds;

/** An environment reads a secret when what it holds has grown old, and while it is idle never. */
function toSecretReads(invocations: number): number {
  return Math.min(invocations, month.minutes / secretReadMinutes);
}

/** What is billed by AWS, beside the node's share. */
export const items: readonly Item[] = [
  {
    name: 'Lambda requests',
    usdEach: usdOf.lambdaRequest,
    how: 'a reconcile each; a timer each resynced object; resyncs; windows',
    count: load => load.invocations,
  },
  {
    name: 'Lambda compute, arm64',
    usdEach: usdOf.lambdaGbSecondArm64,
    how: `${deployed.memoryGb} GB for ${milliseconds.reconcile} ms a reconcile, ${milliseconds.timer} a timer, ${milliseconds.resync} a resync, ${milliseconds.windowed} a window`,
    count: ({ reconciles, resynced, resyncs, windows }) =>
      (deployed.memoryGb / 1000) *
      (reconciles * milliseconds.reconcile +
        resynced * milliseconds.timer +
        resyncs * milliseconds.resync +
        windows * milliseconds.windowed),
  },
  {
    name: 'SQS FIFO, empty receives',
    usdEach: usdOf.sqsFifoRequest,
    how: `${pollers} pollers every ${pollSeconds} s for each work queue`,
    count: (_load, { workQueues }) => workQueues * emptyReceives,
  },
  {
    name: 'SQS standard, empty receives',
    usdEach: usdOf.sqsStandardRequest,
    how: `${pollers} pollers every ${pollSeconds} s for each of delay and expand`,
    count: (_load, { standardQueues }) => standardQueues * emptyReceives,
  },
  {
    name: 'SQS FIFO, messages',
    usdEach: usdOf.sqsFifoRequest,
    how: 'send, receive, hide, delete for each reconcile',
    count: ({ reconciles }) => reconciles * 4,
  },
  {
    name: 'SQS standard, messages',
    usdEach: usdOf.sqsStandardRequest,
    how: 'receive, hide, delete for each resynced object; sends in tens',
    count: ({ resynced, resyncSends }) => resynced * 3 + resyncSends,
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
    how: 'those that the stack makes',
    count: () => deployed.alarms,
  },
  {
    name: 'Secrets Manager, secret',
    usdEach: usdOf.secretMonth,
    how: 'the kubeconfig; none with apiServer.kind: eks',
    count: () => deployed.secrets,
  },
  {
    name: 'Secrets Manager, reads',
    usdEach: usdOf.secretRead,
    how: `at most every ${secretReadMinutes} min for each function that reaches the API server`,
    count: ({ reconciles, resyncs, windows }) =>
      toSecretReads(reconciles) + toSecretReads(resyncs) + toSecretReads(windows),
  },
];
