// The provider code of both simulated infrastructure kinds. Their creation of a network, subnets and a load balancer
// takes time.

import { providerPaths, readBoolean, readString, valueOr } from '@capi-serverless/cluster-api/contract';
import {
  type AuthorContext,
  type DeleteContext,
  type DeleteResult,
  defineInfrastructureProvider,
  type InfrastructureProviderOptions,
  type InfrastructureResult,
  Terminal,
} from '@capi-serverless/provider-sdk';
import * as z from 'zod/mini';
import { ordersOf } from './orders.ts';
import { progressOf, toInstant, toTime } from './progress.ts';
import { removeAll } from './remove-all.ts';
import { lossRights } from './rights.ts';
import { type SimulatedProviderReconciler, simulatedLoss } from './simulated-loss.ts';

const group = 'infrastructure.cluster.x-k8s.io';

interface Step {
  readonly reason: string;
  readonly message: string;
}

const steps: readonly [Step, ...Step[]] = [
  { reason: 'CreatingNetwork', message: 'Creating the network' },
  { reason: 'CreatingSubnets', message: 'Creating a subnet in each failure domain' },
  { reason: 'CreatingLoadBalancer', message: 'Creating the load balancer of the control plane' },
];
const demolitionSteps = ['Deleting the load balancer', 'Deleting the network'] as const;

const defaultSeconds = 1;
const defaultPort = 6443;
const defaultDomains = ['zone-a', 'zone-b', 'zone-c'];

const specSchema = z.object({
  provisionSeconds: z._default(z.number().check(z.gte(0)), defaultSeconds),
  deletionSeconds: z._default(z.number().check(z.gte(0)), defaultSeconds),
  controlPlaneEndpoint: z._default(z.object({ host: z.optional(z.string()), port: z.optional(z.int()) }), {}),
  failureDomains: z._default(z.array(z.string()), defaultDomains),
});

type Identity = Pick<InfrastructureProviderOptions, 'kind' | 'contract' | 'version'>;

/** A reconciler of one simulated infrastructure kind. */
export function defineSimulatedInfrastructure(identity: Identity): SimulatedProviderReconciler {
  return simulatedLoss(
    defineInfrastructureProvider({
      ...identity,
      group,
      endpoint: 'provided',
      status: ['startedAt'],
      rules: [lossRights(group, identity.kind)],
      reconcileNormal: context => provision(context, identity.contract),
      reconcileDelete: tearDown,
    }),
  );
}

async function provision(
  { object, now }: AuthorContext,
  contract: Identity['contract'],
): Promise<InfrastructureResult> {
  const orders = ordersOf(object);
  if (orders.terminal !== undefined) {
    throw new Terminal('SimulatedTerminalFailure', orders.terminal);
  }
  const spec = specSchema.parse(object.spec ?? {});
  const startedAt = toInstant(valueOr(readString(object, 'status.startedAt'), ''), now);
  const status = { startedAt: toTime(startedAt) };
  if (orders.fail !== undefined) {
    return { ready: false, status, conditions: [notReady('SimulatedFailure', orders.fail)] };
  }
  const provisioned = valueOr(readBoolean(object, providerPaths[contract].provisioned), false);
  const progress = progressOf({ steps, startedAt, seconds: spec.provisionSeconds, now, held: orders.hang });
  if (!provisioned && !progress.done) {
    const { reason, message } = progress.step;
    const next = orders.hang ? {} : { requeueAfter: progress.secondsLeft };
    return { ready: false, status, conditions: [notReady(reason, message)], ...next };
  }
  return {
    ready: true,
    status,
    endpoint: {
      host: spec.controlPlaneEndpoint.host || `${object.metadata.name}.simulated.example`,
      port: spec.controlPlaneEndpoint.port || defaultPort,
    },
    failureDomains: spec.failureDomains.map(name => ({ name, controlPlane: true })),
  };
}

async function tearDown(context: DeleteContext): Promise<DeleteResult> {
  const { deletionSeconds } = specSchema.parse(context.object.spec ?? {});
  return removeAll(context, { seconds: deletionSeconds, steps: demolitionSteps });
}

function notReady(reason: string, message: string) {
  return { type: 'Ready', status: 'False', reason, message } as const;
}
