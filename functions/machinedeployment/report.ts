// The report of one pass over a MachineDeployment: status, events and the result.

import { quote } from '@capi-serverless/apimachinery';
import {
  type EventDraft,
  failureOf,
  isDeleting,
  type Outcomes,
  patchProblem,
  type Report,
  removeFinalizerId,
  resultOf,
} from '@capi-serverless/reconciler';
import type { WholeMachineDeployment } from '../../shared/api/machine-deployment/whole-machine-deployment.ts';
import type { WholeMachineSet } from '../../shared/api/machine-set/whole-machine-set.ts';
import { readWholeMachineSet } from '../../shared/api/machine-set/whole-machine-set.ts';
import { toDeploymentStatus } from './conditions/deployment-status.ts';
import { hasUnreportedMachines, unreportedRequeueMs } from './conditions/unreported-machines.ts';
import { deleteProblem } from './phases/delete-sets.ts';
import { patchMetadataId } from './phases/own-metadata.ts';
import { adoptId, hasAdopted, repairProblems } from './phases/own-sets.ts';
import { revisionId } from './phases/revision.ts';
import { ownTemplateId } from './phases/templates.ts';
import { applyId, writeProblem } from './phases/write-sets.ts';
import { waitForRestart } from './plan/rollout-sets.ts';
import type { DeploymentPlan } from './plan.ts';
import type { ObservedDeployment } from './seen.ts';

/** What the writes of a pass led to. */
interface DeploymentConclusion {
  readonly errors: readonly string[];
  readonly events: readonly EventDraft[];
  /** Whether another pass must follow. */
  readonly again: boolean;
  /** `undefined`: the pass failed before it knew the MachineSets. */
  readonly sets: readonly WholeMachineSet[] | undefined;
  /** `undefined`: not all MachineSets were applied. What is stored about the deprecated status is kept. */
  readonly applied:
    | { readonly sets: readonly WholeMachineSet[]; readonly current: WholeMachineSet | undefined }
    | undefined;
}

export function report(plan: DeploymentPlan, outcomes: Outcomes): Report {
  const { seen } = plan;
  const { errors, events, again, sets, applied } = conclude(plan, outcomes);
  const status = toDeploymentStatus(
    {
      deployment: seen.deployment,
      sets,
      machines: seen.machines,
      missingTemplates: [seen.bootstrap, seen.infrastructure].flatMap(template =>
        template.state === 'missing' ? [template.ref.kind] : [],
      ),
      now: seen.now,
    },
    { applied, isSettled: errors.length === 0 },
  );
  const requeues = isDeleting(seen.deployment) ? [] : waitsOf(seen);
  return { status: { status }, events, result: resultOf({ errors, again, requeues }) };
}

function waitsOf({ deployment, sets, machines, now }: ObservedDeployment): readonly number[] {
  const restart = waitForRestart(deployment, now);
  const isUnreported = sets.state === 'listed' && hasUnreportedMachines({ sets: sets.owned, machines, now });
  return [...(restart === undefined ? [] : [restart]), ...(isUnreported ? [unreportedRequeueMs] : [])];
}

function conclude({ seen, stage }: DeploymentPlan, outcomes: Outcomes): DeploymentConclusion {
  const listed = seen.sets.state === 'listed' ? seen.sets : undefined;
  const first = firstProblem(seen.deployment, outcomes);
  if (first !== undefined) {
    return { ...nothing, errors: [first] };
  }
  const orphans = listed?.orphans ?? [];
  const events = adoptionEvents(orphans, outcomes);
  const sets = listed?.owned;
  if (hasAdopted(orphans, outcomes)) {
    return { ...nothing, events, again: true, sets };
  }
  const concluded = concludeStage(seen.deployment, stage, { owned: sets ?? [], outcomes });
  return { ...concluded, events: [...events, ...concluded.events] };
}

const nothing: DeploymentConclusion = { errors: [], events: [], again: false, sets: undefined, applied: undefined };

/** Without these writes, the pass does not come to the MachineSets. */
function firstProblem(deployment: WholeMachineDeployment, outcomes: Outcomes): string | undefined {
  const metadata = failureOf(outcomes, patchMetadataId);
  const template =
    failureOf(outcomes, ownTemplateId('infrastructure')) ?? failureOf(outcomes, ownTemplateId('bootstrap'));
  return metadata === undefined ? template?.message : `${patchProblem(deployment.object)}: ${metadata.message}`;
}

function adoptionEvents(orphans: readonly WholeMachineSet[], outcomes: Outcomes): readonly EventDraft[] {
  return orphans.flatMap(({ metadata: { name } }) => {
    const failure = failureOf(outcomes, adoptId(name));
    return failure === undefined
      ? []
      : [
          {
            type: 'Warning',
            reason: 'FailedAdopt',
            message: `Failed to adopt MachineSet ${quote(name)}: ${failure.message}`,
          },
        ];
  });
}

interface Concluding {
  readonly owned: readonly WholeMachineSet[];
  readonly outcomes: Outcomes;
}

function concludeStage(
  deployment: WholeMachineDeployment,
  stage: DeploymentPlan['stage'],
  { owned, outcomes }: Concluding,
): DeploymentConclusion {
  const known = { ...nothing, sets: owned };
  switch (stage.kind) {
    case 'failed':
      return stage.areSetsKnown ? { ...known, errors: [stage.error] } : { ...nothing, errors: [stage.error] };
    case 'repairing': {
      const errors = repairProblems(owned, outcomes);
      return { ...known, errors, again: errors.length === 0 };
    }
    case 'deleting': {
      const problem = deleteProblem(owned, 'MachineDeployment deleting', outcomes);
      const removal = failureOf(outcomes, removeFinalizerId);
      return {
        ...known,
        errors: [
          ...(problem === undefined ? [] : [problem.error]),
          ...(removal === undefined ? [] : [`${patchProblem(deployment.object)}: ${removal.message}`]),
        ],
      };
    }
    case 'rollout':
      return concludeRollout(deployment, stage, { owned, outcomes });
  }
}

function concludeRollout(
  deployment: WholeMachineDeployment,
  { plan, cleanUp, revision }: Extract<DeploymentPlan['stage'], { kind: 'rollout' }>,
  { owned, outcomes }: Concluding,
): DeploymentConclusion {
  const known = { ...nothing, sets: owned };
  const lost = failureOf(outcomes, revisionId);
  const revisionErrors = lost === undefined ? [] : [`${patchProblem(deployment.object)}: ${lost.message}`];
  if (revision.isFirst && lost !== undefined) {
    return { ...known, errors: revisionErrors };
  }
  const write = writeProblem(plan.writes, deployment.spec.paused, outcomes);
  if (write !== undefined) {
    return { ...known, errors: [write.error], events: [write.event] };
  }
  const after = plan.writes.flatMap(({ name, set }) => setAfter(name, set, outcomes));
  const applied = { sets: after, current: after.find(({ metadata }) => metadata.name === plan.target?.name.name) };
  const removal = deleteProblem(cleanUp.sets, 'cleanup of old MachineSets', outcomes);
  return {
    ...known,
    errors: [...(removal === undefined ? [] : [removal.error]), ...revisionErrors],
    events: removal?.events ?? [],
    again: cleanUp.continues,
    applied,
  };
}

/** Returns the MachineSet as the API server answered. */
function setAfter(name: string, set: WholeMachineSet | undefined, outcomes: Outcomes): readonly WholeMachineSet[] {
  const outcome = outcomes.get(applyId(name));
  if (outcome?.state === 'done' && outcome.object !== undefined) {
    return [readWholeMachineSet(outcome.object)];
  }
  return set === undefined ? [] : [set];
}
