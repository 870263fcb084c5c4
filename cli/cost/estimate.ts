// The monthly cost of a deployment, and of an always-on manager for comparison. Pure.
import type { BillableUnits } from '../../infra/billable-units.ts';
import { month, usdOf } from '../../infra/prices.ts';
import type { WorkQueueLayout } from '../../shared/workqueue/queue-specs.ts';
import {
  type AssumedProfile,
  assumed,
  type CostScenario,
  type DeclaredFigures,
  deployed,
  items,
  type KindFigures,
  type NodeType,
  nodes,
  type Profile,
  profiles,
  toLoad,
} from './items.ts';
import { toUnits } from './units.ts';

interface Row {
  readonly name: string;
  readonly how: string;
  /** USD per month without any change. */
  readonly idle: number;
  /** USD per month with the given changes. */
  readonly busy: number;
}

export interface Estimate {
  readonly profile: NamedProfile;
  readonly clusters: number;
  readonly changesPerDay: number;
  readonly rows: readonly Row[];
  readonly total: Omit<Row, 'name' | 'how'>;
  /** The part of the resync in the idle sum. AWS does not bill its API requests, and its lists only behind a NAT gateway. */
  readonly resync: {
    readonly usd: number;
    readonly invocations: number;
    readonly apiRequests: number;
    readonly listedGb: number;
  };
  /** What only some deployments need. It is not included in the sum. */
  readonly extras: readonly Extra[];
  readonly manager: Manager;
}

/** `name` is that of the profile, or of the deployment. */
type NamedProfile = Profile & { readonly name: string };

/** The always-on manager: on its own node, or as a part of an existing node's memory. */
interface Manager {
  readonly node: string;
  readonly ownNodeUsd: number;
  readonly shareUsd: number;
}

interface Use {
  readonly clusters: number;
  readonly changesPerDay: number;
}

export interface CostInput extends Use {
  readonly lean: boolean;
  /** Whether the windowed forwarder is the event source. Lean deployments always have it. */
  readonly windowed?: boolean;
  /** Whether the management cluster is an EKS cluster. */
  readonly eks?: boolean;
  /** Default: that of the profile. */
  readonly layout?: WorkQueueLayout | undefined;
}

interface Extra {
  readonly name: string;
  readonly how: string;
  /** USD per month without any change. */
  readonly usd: number;
}

/** Returns USD for a month of 30 days, without free tiers. `shape` comes from the declarations of the product. */
export function toEstimate(input: CostInput, shape: DeclaredFigures): Estimate {
  const { plumbing, alarms, ...profile } = toProfile(input);
  return estimateOf(input, { profile, kinds: shape, units: toUnits({ ...profile, plumbing, alarms }, shape) });
}

interface Described {
  readonly profile: NamedProfile;
  readonly kinds: KindFigures;
  readonly units: BillableUnits;
  /** The functions behind webhooks that the deployment has. Their fixed costs are in the units. */
  readonly webhooks?: readonly WebhookName[];
}

/** The same for a deployment whose units are known. */
export function estimateOf(
  { clusters, changesPerDay }: Use,
  { profile: { name, ...profile }, kinds, units, webhooks = [] }: Described,
): Estimate {
  const busy = { ...kinds, ...profile, units, clusters, changesPerDay };
  const idle = { ...busy, changesPerDay: 0 };
  const unsynced = { ...idle, resyncMinutes: Number.POSITIVE_INFINITY };
  const [idleRows, busyRows, unsyncedRows] = [toCosts(idle), toCosts(busy), toCosts(unsynced)];
  const rows = idleRows.map((row, at) => ({
    name: row.name,
    how: row.how,
    idle: row.usd,
    busy: busyRows[at]?.usd ?? 0,
  }));
  const { resyncs, resynced, timed, resyncApiRequests, windowApiRequests } = toLoad(idle);
  const apiRequests = resyncApiRequests + resynced * assumed.apiRequestsPerReconcile;
  const listedGb = (resyncs * clusters * assumed.listedBytesPerCluster) / 1e9;
  return {
    profile: { name, ...profile },
    clusters,
    changesPerDay,
    rows,
    total: { idle: sum(idleRows), busy: sum(busyRows) },
    resync: {
      usd: sum(idleRows) - sum(unsyncedRows),
      invocations: resyncs + resynced + timed,
      apiRequests,
      listedGb,
    },
    extras: toExtras({ apiRequests: apiRequests + windowApiRequests, listedGb }, webhooks),
    manager: toManager(),
  };
}

function toProfile({ lean, windowed = false, eks = false, layout }: CostInput): AssumedProfile & NamedProfile {
  const name = lean ? 'lean' : 'default';
  const profile = profiles[name];
  const isWindowed = profile.windowed || windowed;
  return {
    name,
    ...profile,
    forwarder: !isWindowed,
    windowed: isWindowed,
    apiServer: eks ? 'eks' : profile.apiServer,
    layout: layout ?? profile.layout,
  };
}

function toExtras(
  { apiRequests, listedGb }: { readonly apiRequests: number; readonly listedGb: number },
  webhooks: readonly WebhookName[],
): readonly Extra[] {
  const { endpoints, auditBytesPerRequest } = assumed;
  return [
    {
      name: 'VPC interface endpoints',
      how: `${endpoints.services} services × ${endpoints.zones} zones × ${month.hours} h × ${usdOf.endpointHour}, for functions in a VPC without a way out`,
      usd: endpoints.services * endpoints.zones * month.hours * usdOf.endpointHour,
    },
    {
      name: 'NAT gateway',
      how: `${month.hours} h × ${usdOf.natGatewayHour} for each zone, and ${usdOf.natGatewayGb} per GB: ${listedGb.toFixed(1)} GB of compressed lists; for functions in a VPC with a way out`,
      usd: month.hours * usdOf.natGatewayHour + listedGb * usdOf.natGatewayGb,
    },
    {
      name: 'Audit log of EKS',
      how: `${auditBytesPerRequest} bytes × ${usdOf.logGb} per GB for each request of an idle deployment; EKS logs the requests of all clients`,
      usd: (apiRequests * auditBytesPerRequest * usdOf.logGb) / 1e9,
    },
    ...(['admission', 'conversion'] as const).map(name => toWebhook(name, webhooks.includes(name))),
  ];
}

/** Each create and update is reviewed by a default hook and a validation hook. */
const webhookTexts = {
  admission: { name: 'Admission webhooks', causes: 'writes' },
  conversion: { name: 'Conversion webhook', causes: 'stored changes' },
} as const;

type WebhookName = keyof typeof webhookTexts;

/** A function that API servers call, without its requests. What the deployment has is in the sum already. */
function toWebhook(webhook: WebhookName, isDeployed: boolean): Extra {
  const { secrets, alarmMetrics, reviews } = deployed[webhook];
  const { name, causes } = webhookTexts[webhook];
  const perCause = (reviews * deployed.memoryGb * assumed.milliseconds.review * usdOf.lambdaGbSecondArm64) / 1000;
  const perThousand = `${(1000 * (reviews * usdOf.lambdaRequest + perCause)).toFixed(4)} for 1,000 ${causes}`;
  const usd = secrets * usdOf.secretMonth + alarmMetrics * usdOf.alarmMonth;
  return isDeployed
    ? { name, how: perThousand, usd: 0 }
    : {
        name,
        how: `${secrets} secret × ${usdOf.secretMonth}, ${alarmMetrics} metrics of alarms × ${usdOf.alarmMonth}, and ${perThousand}, with the ${webhook} function`,
        usd,
      };
}

interface Cost {
  readonly name: string;
  readonly how: string;
  readonly usd: number;
}

function toCosts(scenario: CostScenario): readonly Cost[] {
  const load = toLoad(scenario);
  const { replicas, memoryMiB } = deployed.forwarder;
  const pods = replicas * memoryMiB;
  const node = chooseNode(pods);
  const how = `share of a ${node.name}: ${replicas} pods of ${memoryMiB} MiB among ${toUsableMiB(node)}`;
  const name = 'Watch-forwarder';
  return [
    ...items.map(item => ({ name: item.name, how: item.how, usd: item.count(load, scenario) * item.usdEach })),
    scenario.forwarder ? { name, how, usd: toShare(node, pods) } : { name, how: 'none', usd: 0 },
  ];
}

function sum(costs: readonly Cost[]): number {
  return costs.reduce((total, { usd }) => total + usd, 0);
}

function toManager(): Manager {
  const node = chooseNode(assumed.managerMiB);
  return {
    node: node.name,
    ownNodeUsd: node.usdPerHour * month.hours,
    shareUsd: toShare(node, assumed.managerMiB),
  };
}

/** The allocatable memory of a node. */
export function toUsableMiB({ memoryMiB, maxPods }: NodeType): number {
  const { base, perPod, eviction } = assumed.kubeletMiB;
  return memoryMiB - base - perPod * maxPods - eviction - assumed.daemonsMiB;
}

/** Returns the cheapest node with this memory. Throws RangeError if there is none. */
export function chooseNode(memoryMiB: number): NodeType {
  const node = nodes.find(one => toUsableMiB(one) >= memoryMiB);
  if (node === undefined) {
    throw new RangeError(`No node of the price list holds ${memoryMiB} MiB`);
  }
  return node;
}

function toShare(node: NodeType, memoryMiB: number): number {
  return ((node.usdPerHour * month.hours) / toUsableMiB(node)) * memoryMiB;
}
