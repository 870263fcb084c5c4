// The old MachineSets of one pass whose Machines may be updated in place, if the extension agrees.

import { type AskingPlan, isDeleting, together } from '@capi-serverless/reconciler';
import type { Digest } from '../../../../shared/names/random-characters.ts';
import type { InPlaceAnswer, ObservedDeployment } from '../../seen.ts';
import { planSets } from '../plan-sets.ts';
import { rollingUpdate } from '../rollout/limits.ts';
import { inPlaceCandidates } from '../rollout/update-in-place.ts';
import { toRolloutSets } from '../rollout-sets.ts';
import { isEligibleForInPlace } from '../sets/current-set.ts';
import { canUpdateSet, type InPlaceQuestion, type SetPair } from './can-update-set.ts';

/** Both MachineSets are as this pass applies them if nothing moves. */
interface MoveQuestion extends SetPair {
  /** The name of the old MachineSet. */
  readonly name: string;
}

/** The answers by name of the old MachineSet. All MachineSets are asked about at the same time. */
export function* askToMove(
  seen: ObservedDeployment,
  digest: Digest,
): AskingPlan<InPlaceQuestion, ObservedDeployment['inPlace']> {
  return new Map(yield* together(moveQuestions(seen, digest).map(askAbout)));
}

function* askAbout({ name, ...pair }: MoveQuestion): AskingPlan<InPlaceQuestion, readonly [string, InPlaceAnswer]> {
  return [name, yield* canUpdateSet(pair)];
}

/** Returns none if the pass moves nothing, or if its plan has an error. */
export function moveQuestions(seen: ObservedDeployment, digest: Digest): readonly MoveQuestion[] {
  const { deployment, sets, settings } = seen;
  const { paused, rollout } = deployment.spec;
  const canMove =
    settings.updatesInPlace && !isDeleting(deployment) && !paused && rollout.strategy.type === rollingUpdate;
  if (!canMove || sets.state === 'failed') {
    return [];
  }
  const known = toRolloutSets(seen, sets, digest);
  const planned = planSets(seen, known, { taken: sets.names, digest });
  const writes = planned.ok ? planned.value.writes : [];
  const target = planned.ok ? planned.value.target : undefined;
  const desired = writes.find(({ name }) => name === target?.name.name);
  if (target === undefined || desired === undefined) {
    return [];
  }
  const eligible = known.old.filter(each => isEligibleForInPlace(each, known.time)).map(({ counts }) => counts);
  const asked = inPlaceCandidates({ limits: known.limits, current: target.counts, old: eligible });
  const names = new Set(asked.map(({ name }) => name));
  return writes
    .filter(({ name }) => names.has(name))
    .map(({ name, intent }) => ({ name, current: intent, desired: desired.intent }));
}
