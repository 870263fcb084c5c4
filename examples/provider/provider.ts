// HarbourCluster: a private network with berths, a gateway and a load balancer. Uses the in-memory cloud of cloud.ts.

import {
  type AuthorContext,
  type DeleteContext,
  type DeleteResult,
  defineInfrastructureProvider,
  type InfrastructureResult,
  Terminal,
} from '@capi-serverless/provider-sdk';
import * as z from 'zod';
import { type Cloud, createCloudInMemory, NetworkOverlap, NetworkRefused, QuotaExceeded } from './cloud.ts';

const berth = z.object({
  name: z.string(),
  attributes: z.record(z.string(), z.string()).default({}),
  controlPlane: z.boolean().default(true),
});
const spec = z.object({
  region: z.string(),
  network: z.object({ cidr: z.string() }),
  berths: z
    .array(berth)
    .min(2)
    .refine(berths => new Set(berths.map(({ name }) => name)).size === berths.length, 'two berths have one name'),
});
const status = z.object({
  networkId: z.string(),
  gatewayId: z.string().optional(),
  quota: z.object({ retryAt: z.number(), message: z.string() }).optional(),
});
type Spec = z.infer<typeof spec>;
type Status = z.infer<typeof status>;

const port = 6443;
const overlapRetrySeconds = 60;

const namesOf = (uid: string) => ({ network: `net-${uid}`, gateway: `gw-${uid}`, balancer: `lb-${uid}` });

function condition(type: 'Ready' | 'NetworkReady' | 'GatewayReady', isTrue: boolean, reason: string, message: string) {
  return { type, status: isTrue ? 'True' : 'False', reason, message } as const;
}

const networkReady = condition('NetworkReady', true, 'NetworkActive', '');

/** The input of a step, and the status that it returns. */
interface Step {
  readonly context: Pick<AuthorContext<Spec, Status>, 'object' | 'spec' | 'status' | 'now' | 'record'>;
  readonly cloud: Cloud;
  readonly names: ReturnType<typeof namesOf>;
  readonly status: Status;
}

/**
 * One step. It may be interrupted at any point and is then called again. Names derive from the uid, so a repeated call
 * finds existing resources.
 */
export async function reconcileNormal(context: Step['context'], cloud: Cloud): Promise<InfrastructureResult<Status>> {
  const names = namesOf(context.object.metadata.uid);
  const step: Step = { context, cloud, names, status: { networkId: names.network } };
  return (await reconcileNetwork(step)) ?? (await reconcileBerths(step)) ?? reconcileGateway(step);
}

function waitForNetwork(
  { status }: Step,
  reason: string,
  { message, requeueAfter }: { readonly message: string; readonly requeueAfter: number },
): InfrastructureResult<Status> {
  return {
    ready: false,
    status,
    requeueAfter,
    conditions: [
      condition('Ready', false, reason, message),
      condition('NetworkReady', false, reason, message),
      condition('GatewayReady', false, 'WaitingForNetwork', 'The gateway is created after the network'),
    ],
  };
}

/** Returns undefined when the network is active. */
async function reconcileNetwork(step: Step): Promise<InfrastructureResult<Status> | undefined> {
  const { context, cloud, names } = step;
  const { region, network: wanted } = context.spec;
  const network = await cloud.findNetwork(names.network);
  if (network === undefined) {
    return createNetwork(step);
  }
  if (network.cidr !== wanted.cidr || network.region !== region) {
    const message = `Network ${network.cidr} in ${network.region} cannot become ${wanted.cidr} in ${region}`;
    throw new Terminal('NetworkImmutable', message);
  }
  if (network.state !== 'active') {
    const message = `Network ${names.network} is ${network.state}`;
    return waitForNetwork(step, 'CreatingNetwork', { message, requeueAfter: 1 });
  }
  return undefined;
}

async function createNetwork(step: Step): Promise<InfrastructureResult<Status>> {
  const { context, cloud, names, status } = step;
  const { spec, now, record } = context;
  // Events and resyncs may cause a call before requeueAfter has passed. The cloud is not called before that time.
  const { quota } = context.status;
  if (quota !== undefined && now < quota.retryAt) {
    status.quota = quota;
    const requeueAfter = Math.ceil((quota.retryAt - now) / 1000);
    return waitForNetwork(step, 'QuotaExceeded', { message: quota.message, requeueAfter });
  }
  try {
    await cloud.createNetwork({ name: names.network, region: spec.region, cidr: spec.network.cidr });
  } catch (error) {
    if (error instanceof NetworkRefused) {
      record({ conditions: [condition('NetworkReady', false, 'NetworkRefused', error.message)] });
      throw new Terminal('NetworkRefused', error.message);
    }
    if (error instanceof QuotaExceeded) {
      const { message, retryAfter } = error;
      status.quota = { retryAt: now + retryAfter * 1000, message };
      return waitForNetwork(step, 'QuotaExceeded', { message, requeueAfter: retryAfter });
    }
    if (error instanceof NetworkOverlap) {
      return waitForNetwork(step, 'NetworkOverlap', { message: error.message, requeueAfter: overlapRetrySeconds });
    }
    throw error;
  }
  return waitForNetwork(step, 'CreatingNetwork', {
    message: `Network ${names.network} is being created`,
    requeueAfter: 1,
  });
}

/** Creates one missing berth. Returns undefined if none is missing. */
async function reconcileBerths(step: Step): Promise<InfrastructureResult<Status> | undefined> {
  const { context, cloud, names } = step;
  const { berths } = context.spec;
  const there = new Set((await cloud.listBerths(names.network)).map(({ name }) => name));
  const missing = berths.filter(({ name }) => !there.has(name));
  const [next] = missing;
  if (next === undefined) {
    return undefined;
  }
  await cloud.createBerth({ name: next.name, network: names.network, attributes: next.attributes });
  const message = `${missing.length} of ${berths.length} berths were missing`;
  return waitForNetwork(step, 'CreatingBerths', { message, requeueAfter: 1 });
}

async function reconcileGateway(step: Step): Promise<InfrastructureResult<Status>> {
  const { cloud, names, status } = step;
  status.gatewayId = names.gateway;
  const gateway = await cloud.findGateway(names.gateway);
  if (gateway === undefined) {
    await cloud.createGateway({ name: names.gateway, network: names.network });
  }
  if (gateway?.state === 'attached') {
    return reconcileLoadBalancer(step);
  }
  const message = `Gateway ${names.gateway} is ${gateway?.state ?? 'pending'}`;
  const conditions = [
    condition('Ready', false, 'AttachingGateway', message),
    networkReady,
    condition('GatewayReady', false, 'AttachingGateway', message),
  ];
  return { ready: false, status, requeueAfter: 2, conditions };
}

async function reconcileLoadBalancer({ context, cloud, names, status }: Step): Promise<InfrastructureResult<Status>> {
  const gatewayReady = condition('GatewayReady', true, 'GatewayAttached', '');
  const balancer = await cloud.findLoadBalancer(names.balancer);
  if (balancer === undefined) {
    await cloud.createLoadBalancer({ name: names.balancer, gateway: names.gateway });
  }
  if (balancer?.address === undefined) {
    const message = `Load balancer ${names.balancer} is being created`;
    const conditions = [condition('Ready', false, 'CreatingLoadBalancer', message), networkReady, gatewayReady];
    return { ready: false, status, requeueAfter: 1, conditions };
  }
  const { berths } = context.spec;
  return {
    ready: true,
    status,
    endpoint: { host: balancer.address, port },
    failureDomains: berths.map(({ name, controlPlane, attributes }) => ({ name, controlPlane, attributes })),
    conditions: [networkReady, gatewayReady],
  };
}

/** One step in reverse order. It is called until no resource is left. */
export async function reconcileDelete(
  { object }: Pick<DeleteContext, 'object'>,
  cloud: Cloud,
): Promise<DeleteResult<Status>> {
  const names = namesOf(object.metadata.uid);
  const again = (message: string, ...gone: readonly ('NetworkReady' | 'GatewayReady')[]): DeleteResult<Status> => ({
    done: false,
    message,
    requeueAfter: 1,
    conditions: gone.map(type => condition(type, false, 'Deleting', message)),
  });

  const balancer = await cloud.findLoadBalancer(names.balancer);
  if (balancer !== undefined) {
    if (balancer.state !== 'deleting') {
      await cloud.deleteLoadBalancer(names.balancer);
    }
    return again(`Load balancer ${names.balancer} is being removed`);
  }
  const gateway = await cloud.findGateway(names.gateway);
  if (gateway !== undefined) {
    if (gateway.state !== 'detaching') {
      await cloud.deleteGateway(names.gateway);
    }
    return again(`Gateway ${names.gateway} is being detached`, 'GatewayReady');
  }
  const berth = (await cloud.listBerths(names.network)).at(-1);
  if (berth !== undefined) {
    await cloud.deleteBerth(names.network, berth.name);
    return again(`Berth ${berth.name} is being removed`, 'NetworkReady', 'GatewayReady');
  }
  const network = await cloud.findNetwork(names.network);
  if (network !== undefined) {
    if (network.state !== 'deleting') {
      await cloud.deleteNetwork(names.network);
    }
    return again(`Network ${names.network} is being removed`, 'NetworkReady', 'GatewayReady');
  }
  return { done: true };
}

/** A reconciler of HarbourClusters on this cloud. */
export function defineHarbourCluster(cloud: Cloud) {
  return defineInfrastructureProvider({
    group: 'infrastructure.cluster.x-k8s.io',
    version: 'v1beta2',
    kind: 'HarbourCluster',
    contract: 'v1beta2',
    endpoint: 'provided',
    conditions: ['NetworkReady', 'GatewayReady'],
    spec,
    status,
    reconcileNormal: context => reconcileNormal(context, cloud),
    reconcileDelete: context => reconcileDelete(context, cloud),
  });
}

/** The export that a local run and the deployment load. */
export const reconcilers = [defineHarbourCluster(createCloudInMemory())];
