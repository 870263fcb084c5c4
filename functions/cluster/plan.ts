// The plan of one pass over a Cluster, derived from the objects that were read. Both the actions and the report use it.

import type { Instant } from '@capi-serverless/apimachinery';
import { type ClusterDeletion, deletionStep, planDeletion } from './phases/cluster-deletion.ts';
import { type Descendants, toDescendants } from './phases/descendants.ts';
import { endpointStep } from './phases/endpoint.ts';
import type { ExternalsPlan } from './phases/externals.ts';
import { isDeleting } from './phases/gate.ts';
import { initializedStep } from './phases/initialized.ts';
import { kubeconfigStep } from './phases/kubeconfig-secret.ts';
import { remoteConnectionStep } from './phases/remote-connection.ts';
import type { PhaseScope } from './phases/scope.ts';
import { failedStep, noChange, type PhaseStep } from './phases/step.ts';
import type { EarlyEnd, ObservedCluster } from './seen.ts';

/** The plan assumes that every write succeeds. Each step also contains the result for a failed write. */
export interface WholePlan {
  readonly step: ObservedCluster['step'];
  readonly scope: PhaseScope;
  readonly externals: ExternalsPlan;
  /** `undefined` if the Cluster is not being deleted. */
  readonly deletion: ClusterDeletion | undefined;
  /** The steps of all phases, in order. */
  readonly steps: readonly PhaseStep[];
}

/**
 * Plans the result of observe. Observe plans the external objects itself, because a kubeconfig contains their endpoint.
 */
export type ClusterSeen = EarlyEnd | (ObservedCluster & { readonly externals: ExternalsPlan });

export type ClusterPlan = EarlyEnd | WholePlan;

/** Runs the other phases. A pass that writes only the finalizer or the Paused condition has no phases. */
export function plan(seen: ClusterSeen, now: Instant): ClusterPlan {
  switch (seen.step) {
    case 'finalizer':
    case 'pausedCondition':
    case 'clusterClassError':
      return seen;
    case 'topologyWait':
    case 'phases':
      return planPhases(seen, now);
  }
}

function planPhases(seen: Exclude<ClusterSeen, EarlyEnd>, now: Instant): WholePlan {
  const { step, cluster, externals } = seen;
  const scope: PhaseScope = {
    seen,
    now,
    infrastructure: externals.infrastructure.scoped,
    controlPlane: externals.controlPlane.scoped,
    descendants: toDescendants(seen.lists, cluster),
  };
  const deletion = isDeleting(cluster) ? planDeletion(scope) : undefined;
  const steps = step === 'topologyWait' ? [] : [...externals.steps, ...furtherSteps(scope, deletion)];
  return { step, scope, externals, deletion, steps };
}

function furtherSteps(scope: PhaseScope, deletion: ClusterDeletion | undefined): readonly PhaseStep[] {
  const { cluster } = scope.seen;
  const lists = listsStep(scope.descendants);
  return deletion === undefined
    ? [lists, kubeconfigStep(scope), initializedStep(scope), endpointStep(cluster), remoteConnectionStep(scope)]
    : [lists, deletionStep(deletion, cluster), endpointStep(cluster)];
}

/** Reports a list that could not be read. The phases that need the descendants handle a missing list themselves. */
function listsStep(descendants: Descendants): PhaseStep {
  const error = descendants.known ? undefined : descendants.error;
  return error === undefined ? noChange : failedStep(error);
}
