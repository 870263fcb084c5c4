// HarbourCluster: a private network with berths, a gateway and a load balancer. The cloud is in memory until cloud.ts calls ours.
import * as z from 'zod';
import {
  type AuthorContext,
  type DeleteContext,
  type DeleteResult,
  defineInfrastructureProvider,
  type InfrastructureResult,
  Terminal,
} from '../../shared/actuator/index.ts';
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

/** One step, called again and again; it may be cut off anywhere. Names come from the uid: a repeated call finds what is there. */
export async function reconcileNormal(
  {
    object,
    spec: { region, network: wanted, berths },
    status: before,
    now,
    record,
  }: Pick<AuthorContext<Spec, Status>, 'object' | 'spec' | 'status' | 'now' | 'record'>,
  cloud: Cloud,
): Promise<InfrastructureResult<Status>> {
  const names = namesOf(object.metadata.uid);
  const status: Status = { networkId: names.network };

  const waitForNetwork = (reason: string, message: string, requeueAfter: number): InfrastructureResult<Status> => ({
    ready: false,
    status,
    requeueAfter,
    conditions: [
      condition('Ready', false, reason, message),
      condition('NetworkReady', false, reason, message),
      condition('GatewayReady', false, 'WaitingForNetwork', 'The gateway is made once the network is there'),
    ],
  });

  const network = await cloud.findNetwork(names.network);
  if (network === undefined) {
    // Events and resyncs may call earlier than requeueAfter says: the cloud is not asked again before its time.
    const quota = before.quota;
    if (quota !== undefined && now < quota.retryAt) {
      status.quota = quota;
      return waitForNetwork('QuotaExceeded', quota.message, Math.ceil((quota.retryAt - now) / 1000));
    }
    try {
      await cloud.createNetwork({ name: names.network, region, cidr: wanted.cidr });
    } catch (error) {
      if (error instanceof NetworkRefused) {
        record({ conditions: [condition('NetworkReady', false, 'NetworkRefused', error.message)] });
        throw new Terminal('NetworkRefused', error.message);
      }
      if (error instanceof QuotaExceeded) {
        status.quota = { retryAt: now + error.retryAfter * 1000, message: error.message };
        return waitForNetwork('QuotaExceeded', error.message, error.retryAfter);
      }
      if (error instanceof NetworkOverlap) {
        return waitForNetwork('NetworkOverlap', error.message, overlapRetrySeconds);
      }
      throw error;
    }
    return waitForNetwork('CreatingNetwork', `Network ${names.network} is being created`, 1);
  }
  if (network.cidr !== wanted.cidr || network.region !== region) {
    const message = `Network ${network.cidr} in ${network.region} cannot become ${wanted.cidr} in ${region}`;
    throw new Terminal('NetworkImmutable', message);
  }
  if (network.state !== 'active') {
    return waitForNetwork('CreatingNetwork', `Network ${names.network} is ${network.state}`, 1);
  }

  const there = new Set((await cloud.listBerths(names.network)).map(({ name }) => name));
  const missing = berths.filter(({ name }) => !there.has(name));
  const [next] = missing;
  if (next !== undefined) {
    await cloud.createBerth({ name: next.name, network: names.network, attributes: next.attributes });
    return waitForNetwork('CreatingBerths', `${missing.length} of ${berths.length} berths were missing`, 1);
  }
  const networkReady = condition('NetworkReady', true, 'NetworkActive', '');

  status.gatewayId = names.gateway;
  const gateway = await cloud.findGateway(names.gateway);
  if (gateway === undefined) {
    await cloud.createGateway({ name: names.gateway, network: names.network });
  }
  if (gateway?.state !== 'attached') {
    const message = `Gateway ${names.gateway} is ${gateway?.state ?? 'pending'}`;
    return {
      ready: false,
      status,
      requeueAfter: 2,
      conditions: [
        condition('Ready', false, 'AttachingGateway', message),
        networkReady,
        condition('GatewayReady', false, 'AttachingGateway', message),
      ],
    };
  }
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
  return {
    ready: true,
    status,
    endpoint: { host: balancer.address, port },
    failureDomains: berths.map(({ name, controlPlane, attributes }) => ({ name, controlPlane, attributes })),
    conditions: [networkReady, gatewayReady],
  };
}

/** One step, too, in reverse order: called until nothing is left. What was never made is gone as well. */
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

/** A reconciler of HarbourClusters, on this cloud. */
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

/** What a local run and the deployment look for in this file. */
export const reconcilers = [defineHarbourCluster(createCloudInMemory())];
