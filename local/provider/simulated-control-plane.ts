// SimulatedControlPlane: creates Machines if its template references infrastructure, otherwise only counts them. Uses
// the provider SDK.

import {
  type AuthorContext,
  type ControlPlaneResult,
  type DeleteContext,
  type DeleteResult,
  defineControlPlaneProvider,
  Terminal,
} from '@capi-serverless/provider-sdk';
import * as z from 'zod/mini';
import type { Signer } from '../../shared/certificates/port.ts';
import { createSigner } from '../../shared/certificates/x509/lazy-signer.ts';
import { certifying, secretRights } from './certifying.ts';
import {
  hasMachines,
  listMachines,
  machineRights,
  machineWatch,
  toResult,
  withMachines,
} from './control-plane-machines.ts';
import { ordersOf } from './orders.ts';
import { toTime } from './progress.ts';
import { removeAll } from './remove-all.ts';
import { lossRights } from './rights.ts';
import { type SimulatedProviderReconciler, simulatedLoss } from './simulated-loss.ts';
import { observeMachines, rolloutOf, type Simulation, simulateMachines } from './simulated-machines.ts';
import { readSimulatedWorkload, type SimulatedWorkload } from './simulated-workload.ts';

const group = 'controlplane.cluster.x-k8s.io';
const kind = 'SimulatedControlPlane';

/** The seconds until Machines are listed again, in case the last event is lost. */
const machineSeconds = 30;

const demolitionSteps = ['Stopping the machines', 'Removing the certificates'] as const;

const specSchema = z.object({
  version: z.string(),
  replicas: z._default(z.int().check(z.gte(0)), 1),
  provisionSeconds: z._default(z.number().check(z.gte(0)), 1),
  deletionSeconds: z._default(z.number().check(z.gte(0)), 1),
});

const defined = defineControlPlaneProvider({
  group,
  kind,
  version: 'v1beta2',
  contract: 'v1beta2',
  endpoint: 'fromCluster',
  conditions: ['RollingOut', 'ScalingUp', 'ScalingDown'],
  status: ['rollout'],
  rules: [lossRights(group, kind), secretRights, ...machineRights],
  reconcileNormal: provision,
  reconcileDelete: tearDown,
});

const provider: typeof defined = {
  ...defined,
  declaration: { ...defined.declaration, watches: [...defined.declaration.watches, machineWatch] },
};

/** Creates the Secrets of its Cluster if workload clusters are simulated. */
export function createSimulatedControlPlane(
  workload: () => SimulatedWorkload | undefined,
  signer: Signer = createSigner(),
): SimulatedProviderReconciler {
  const certified = certifying(provider, { workload, signer });
  return simulatedLoss(withMachines(certified, ({ inner }) => inner));
}

export const simulatedControlPlane = createSimulatedControlPlane(() => readSimulatedWorkload(process.env));

async function provision({ object, client, now }: AuthorContext): Promise<ControlPlaneResult> {
  const orders = ordersOf(object);
  if (orders.terminal !== undefined) {
    throw new Terminal('SimulatedTerminalFailure', orders.terminal);
  }
  const { version, replicas, provisionSeconds } = specSchema.parse(object.spec);
  if (hasMachines(object) && orders.fail === undefined) {
    return toResult(object, await listMachines(object, client), now);
  }
  const machines = observeMachines(object, now);
  const rollout = rolloutOf(machines, { version, replicas }, now);
  const status = { rollout: { ...rollout, startedAt: toTime(rollout.startedAt) } };
  if (orders.fail !== undefined) {
    const failure = { status: 'False', reason: 'SimulatedFailure', message: orders.fail } as const;
    const conditions = [
      { type: 'Ready', ...failure },
      { type: 'Available', ...failure },
    ];
    return { initialized: false, available: false, status, conditions };
  }
  const simulation: Simulation = { machines, rollout, seconds: provisionSeconds, now, held: orders.hang };
  return { ...simulateMachines(simulation), status };
}

async function tearDown(context: DeleteContext): Promise<DeleteResult> {
  const machines = await listMachines(context.object, context.client);
  if (machines.length > 0) {
    return { done: false, message: `Deleting ${machines.length} Machines`, requeueAfter: machineSeconds };
  }
  const { deletionSeconds } = specSchema.parse(context.object.spec);
  return removeAll(context, { seconds: deletionSeconds, steps: demolitionSteps });
}
