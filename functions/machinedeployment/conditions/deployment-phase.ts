// `status.phase`: the state of the MachineDeployment in one word.
import { isDeleting } from '@capi-serverless/reconciler';
import type { DeploymentFacts } from './deployment-facts.ts';
import { toSetTotals } from './set-totals.ts';

export function phaseOf({ deployment, sets }: Pick<DeploymentFacts, 'deployment' | 'sets'>): string {
  const { replicas: desired } = deployment.spec;
  if (sets === undefined || desired === undefined) {
    return 'Unknown';
  }
  const { replicas = 0 } = toSetTotals(sets);
  if (isDeleting(deployment) || replicas > desired) {
    return 'ScalingDown';
  }
  return replicas < desired ? 'ScalingUp' : 'Running';
}
