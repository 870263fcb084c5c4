// The condition Available: enough Machines are available for the strategy. Without surge and unavailability of a strategy,
// all replicas are needed.

import { type ConditionDraft, internalError } from '@capi-serverless/cluster-api/conditions';
import { isDeleting } from '@capi-serverless/reconciler';
import { rollingUpdate, toLimits } from '../plan/rollout/limits.ts';
import type { DeploymentFacts } from './deployment-facts.ts';
import { toSetTotals } from './set-totals.ts';

const type = 'Available';

export function available({ deployment, sets }: DeploymentFacts): ConditionDraft {
  if (sets === undefined) {
    return internalError(type);
  }
  const { replicas, rollout } = deployment.spec;
  const { type: strategy, rollingUpdate: amounts } = rollout.strategy;
  const { maxSurge, maxUnavailable } = amounts;
  const { availableReplicas } = toSetTotals(sets);
  if (replicas === undefined) {
    return unknown('WaitingForReplicasSet', 'Waiting for spec.replicas set');
  }
  if (availableReplicas === undefined) {
    return unknown('WaitingForAvailableReplicasSet', 'Waiting for status.availableReplicas set');
  }
  const { minAvailable } = toLimits({ type: strategy, maxSurge, maxUnavailable }, replicas);
  if (availableReplicas >= minAvailable) {
    return { type, status: 'True', reason: 'Available', message: '' };
  }
  if (isDeleting(deployment)) {
    return unavailable('Deletion in progress');
  }
  const needed = `${availableReplicas} available replicas, at least ${minAvailable} required`;
  const limit = `(spec.strategy.rollout.maxUnavailable is ${maxUnavailable}, spec.replicas is ${replicas})`;
  return unavailable(strategy === rollingUpdate ? `${needed} ${limit}` : needed);
}

function unknown(reason: string, message: string): ConditionDraft {
  return { type, status: 'Unknown', reason, message };
}

function unavailable(message: string): ConditionDraft {
  return { type, status: 'False', reason: 'NotAvailable', message };
}
