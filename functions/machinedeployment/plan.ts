// The plan of one pass over a MachineDeployment, derived from the objects that were read. Both the actions and the report
// use it.
import {
  type Action,
  isDeleting,
  type Outcomes,
  onlyIf,
  removeFinalizer,
  type WholePlan,
} from '@capi-serverless/reconciler';
import type { Cluster } from '../../shared/api/cluster/reader.ts';
import type { WholeMachineSet } from '../../shared/api/machine-set/whole-machine-set.ts';
import type { Digest } from '../../shared/names/random-characters.ts';
import { type CleanUp, cleanUpActions, deletionActions, planCleanUp } from './phases/delete-sets.ts';
import { deploymentFinalizer } from './phases/gate.ts';
import { ownMetadataActions } from './phases/own-metadata.ts';
import { adoptActions, hasAdopted, labelActions, repairActions } from './phases/own-sets.ts';
import { planRevision, type RevisionWrite } from './phases/revision.ts';
import { ownTemplateActions, templateProblem } from './phases/templates.ts';
import { applyActions } from './phases/write-sets.ts';
import { type PlannedSets, planSets } from './plan/plan-sets.ts';
import { toRolloutSets } from './plan/rollout-sets.ts';
import type { ObservedDeployment, SetsRead } from './seen.ts';

/** How far the pass comes. */
type DeploymentStage =
  /** `areSetsKnown`: whether the MachineSets could be read before the error. */
  | { readonly kind: 'failed'; readonly error: string; readonly areSetsKnown: boolean }
  /** The MachineSets lack something that must be written before they are planned. */
  | { readonly kind: 'repairing' }
  | {
      readonly kind: 'rollout';
      readonly plan: PlannedSets;
      readonly cleanUp: CleanUp;
      readonly revision: RevisionWrite;
    }
  | { readonly kind: 'deleting' };

export interface DeploymentPlan extends WholePlan {
  readonly seen: ObservedDeployment;
  readonly stage: DeploymentStage;
}

interface PlannedStage {
  readonly stage: DeploymentStage;
  readonly actions: readonly Action[];
}

export function plan(seen: ObservedDeployment, digest: Digest): DeploymentPlan {
  const { deployment, cluster, sets } = seen;
  const first = isDeleting(deployment) || cluster === undefined ? [] : ownMetadataActions(deployment, cluster);
  const problem = templateProblem([seen.infrastructure, seen.bootstrap]);
  const { stage, actions } =
    problem === undefined ? planListed(seen, sets, digest) : failed(problem, { areSetsKnown: false });
  return { seen, stage, actions: [...first, ...templateActions(seen, cluster), ...actions] };
}

function failed(error: string, { areSetsKnown }: { readonly areSetsKnown: boolean }): PlannedStage {
  return { stage: { kind: 'failed', error, areSetsKnown }, actions: [] };
}

function templateActions(seen: ObservedDeployment, cluster: Cluster | undefined): readonly Action[] {
  return cluster === undefined || templateProblem([seen.infrastructure]) !== undefined
    ? []
    : [
        ...ownTemplateActions('infrastructure', seen.infrastructure, cluster),
        ...ownTemplateActions('bootstrap', seen.bootstrap, cluster),
      ];
}

function planListed(seen: ObservedDeployment, sets: SetsRead, digest: Digest): PlannedStage {
  if (sets.state === 'failed') {
    return failed(sets.problem, { areSetsKnown: false });
  }
  const { stage, actions } = isDeleting(seen.deployment)
    ? planDeletion(seen, sets.owned)
    : planOwned(seen, sets, digest);
  // After an adoption, the MachineSets of this plan are not all. Another pass follows.
  const isComplete = (outcomes: Outcomes) => !hasAdopted(sets.orphans, outcomes);
  return {
    stage,
    actions:
      sets.orphans.length === 0
        ? actions
        : [...adoptActions(seen.deployment, sets.orphans), ...onlyIf(isComplete, { actions, steps: [] }).actions],
  };
}

function planDeletion({ deployment }: ObservedDeployment, owned: readonly WholeMachineSet[]): PlannedStage {
  const { object } = deployment;
  return {
    stage: { kind: 'deleting' },
    actions: owned.length === 0 ? removeFinalizer(object, deploymentFinalizer) : deletionActions(owned),
  };
}

function planOwned(
  seen: ObservedDeployment,
  sets: Extract<SetsRead, { state: 'listed' }>,
  digest: Digest,
): PlannedStage {
  const repairs = repairActions(sets.owned);
  const missing = repairs.length > 0 ? repairs : labelActions(seen.deployment, sets.owned);
  if (missing.length > 0) {
    return { stage: { kind: 'repairing' }, actions: missing };
  }
  const planned = planSets(seen, toRolloutSets(seen, sets, digest), { taken: sets.names, digest });
  if (!planned.ok) {
    return failed(planned.error, { areSetsKnown: true });
  }
  const { deployment } = seen;
  const cleanUp = planCleanUp(seen, planned.value);
  const revision = planRevision(deployment, planned.value);
  return {
    stage: { kind: 'rollout', plan: planned.value, cleanUp, revision },
    actions: [
      ...(revision.isFirst ? revision.actions : []),
      ...applyActions(planned.value.writes, deployment.spec.paused),
      ...cleanUpActions(cleanUp.sets),
      ...(revision.isFirst ? [] : revision.actions),
    ],
  };
}
