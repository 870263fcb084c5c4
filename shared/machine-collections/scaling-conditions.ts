// The conditions ScalingUp and ScalingDown of MachineSets and MachineDeployments.
import type { ConditionDraft } from '@capi-serverless/cluster-api/conditions';

interface Scaling {
  /** `spec.replicas`. */
  readonly replicas: number | undefined;
  readonly isDeleting: boolean;
  /** The Machines that exist. */
  readonly current: number;
}

interface ScalingUp extends Scaling {
  /** The templates that do not exist, as `missingTemplates` returns them. */
  readonly missing: string;
  /** What blocks the new Machines. It follows `is blocked because`. "" if nothing does. */
  readonly blocked: string;
}

interface ScalingDown extends Scaling {
  /** Follows the message, as `staleDeletion` returns it. */
  readonly stale: string;
}

/** An object in deletion needs no Machines. */
export function desiredReplicas(replicas: number, isDeleting: boolean): number {
  return isDeleting ? 0 : replicas;
}

export function scalingUpCondition(scaling: ScalingUp): ConditionDraft {
  const type = 'ScalingUp';
  const { replicas, isDeleting, current, missing, blocked } = scaling;
  if (replicas === undefined) {
    return waiting(type);
  }
  const desired = desiredReplicas(replicas, isDeleting);
  if (current >= desired) {
    const message = isDeleting || missing === '' ? '' : `Scaling up would be blocked because ${missing}`;
    return { type, status: 'False', reason: 'NotScalingUp', message };
  }
  const message = `Scaling up from ${current} to ${desired} replicas`;
  return {
    type,
    status: 'True',
    reason: type,
    message: blocked === '' ? message : `${message} is blocked because${blocked}`,
  };
}

export function scalingDownCondition({ replicas, isDeleting, current, stale }: ScalingDown): ConditionDraft {
  const type = 'ScalingDown';
  if (replicas === undefined) {
    return waiting(type);
  }
  const desired = desiredReplicas(replicas, isDeleting);
  return current > desired
    ? { type, status: 'True', reason: type, message: `Scaling down from ${current} to ${desired} replicas${stale}` }
    : { type, status: 'False', reason: 'NotScalingDown', message: '' };
}

function waiting(type: string): ConditionDraft {
  return { type, status: 'Unknown', reason: 'WaitingForReplicasSet', message: 'Waiting for spec.replicas set' };
}

/** `kinds` are the kinds of the templates that do not exist: first bootstrap, then infrastructure. */
export function missingTemplates(kinds: readonly string[]): string {
  if (kinds.length === 0) {
    return '';
  }
  return `${kinds.join(' and ')} ${kinds.length === 1 ? 'does' : 'do'} not exist`;
}
