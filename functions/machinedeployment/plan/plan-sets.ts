// Plans the MachineSets of one pass: their replicas, then the intent of each. The current MachineSet is written first.
import {
  allInOrder,
  andThen,
  type Checked,
  type Intent,
  invalid,
  mapChecked,
  toDisplayName,
  valid,
} from '@capi-serverless/apimachinery';
import type { WholeMachineSet } from '../../../shared/api/machine-set/whole-machine-set.ts';
import type { ObservedDeployment } from '../seen.ts';
import { isAnyUpdating, receivesFrom } from './moves.ts';
import { onDelete, rollingUpdate } from './rollout/limits.ts';
import { planOnDelete } from './rollout/on-delete.ts';
import { planRollingUpdate } from './rollout/rolling-update.ts';
import { byAge, type PlannedRollout, withNote } from './rollout/rollout-plan.ts';
import { scalePaused } from './rollout/scale-paused.ts';
import type { PlannedSet, RolloutSets } from './rollout-sets.ts';
import { toExistingSet, toNewSet } from './sets/desired-set.ts';
import { commonAnnotations, currentSetAnnotations, oldSetAnnotations } from './sets/set-annotations.ts';
import { type SetCreation, type TargetSet, toTargetSet } from './target-set.ts';

/** The apply of one MachineSet. */
export interface SetWrite {
  readonly name: string;
  /** Absent if this pass creates it. */
  readonly set: WholeMachineSet | undefined;
  /** The replicas before and after the write. */
  readonly before: number;
  readonly after: number;
  readonly intent: Intent;
}

export interface PlannedSets {
  readonly sets: RolloutSets;
  /** Absent if the rollout is paused and no MachineSet has the current template. */
  readonly target: TargetSet | undefined;
  readonly writes: readonly SetWrite[];
  /** The reasons of the changes by MachineSet, for logs. */
  readonly notes: PlannedRollout['notes'];
}

/** Fails without any write, so that a plan is performed as a whole or not at all. */
export function planSets(seen: ObservedDeployment, sets: RolloutSets, creation: SetCreation): Checked<PlannedSets> {
  const { deployment } = seen;
  const problem = problemOf(seen, sets);
  if (problem !== undefined) {
    return invalid(problem);
  }
  const isPaused = deployment.spec.paused;
  const target: Checked<TargetSet | undefined> =
    isPaused && sets.current === undefined ? valid(undefined) : toTargetSet(seen, sets, creation);
  return andThen(target, to => {
    const plan = isPaused || to === undefined ? valid(planPaused(seen, sets, to)) : planRollout(seen, sets, to);
    return andThen(plan, rollout => toSetsPlan(seen, { sets, target: to, rollout, isPaused }));
  });
}

function problemOf({ deployment }: ObservedDeployment, { current, old }: RolloutSets): string | undefined {
  const { type } = deployment.spec.rollout.strategy;
  if (!deployment.spec.paused && type !== rollingUpdate && type !== onDelete) {
    return `unexpected deployment strategy type: ${type}`;
  }
  const unset = [...old, ...(current === undefined ? [] : [current])].find(
    ({ set }) => set.spec.replicas === undefined,
  );
  return unset === undefined
    ? undefined
    : `spec.replicas for MachineSet ${toDisplayName(unset.set.metadata)} is nil, this is unexpected`;
}

function planRollout(
  { deployment, machines, inPlace, settings }: ObservedDeployment,
  { limits, old }: RolloutSets,
  target: TargetSet,
): Checked<PlannedRollout> {
  const given = { limits, current: target.counts, old: old.map(({ counts }) => counts) };
  if (deployment.spec.rollout.strategy.type === onDelete) {
    return valid(planOnDelete(given));
  }
  for (const [name, answer] of inPlace) {
    if (answer.state === 'failed') {
      return invalid(`failed to determine if MachineSet ${name} can be updated in-place: ${answer.problem}`);
    }
  }
  const updatable = new Set([...inPlace].flatMap(([name, { state }]) => (state === 'yes' ? [name] : [])));
  const moving = settings.updatesInPlace ? { inPlace: { updatable, isUpdating: isAnyUpdating(machines) } } : {};
  return planRollingUpdate({ ...given, ...moving });
}

function planPaused(
  { deployment }: ObservedDeployment,
  sets: RolloutSets,
  target: TargetSet | undefined,
): PlannedRollout {
  return scalePaused({
    strategy: deployment.spec.rollout.strategy.type,
    limits: sets.limits,
    current: target?.counts,
    old: sets.old.map(({ counts }) => counts),
  });
}

interface Planned {
  readonly sets: RolloutSets;
  readonly target: TargetSet | undefined;
  readonly rollout: PlannedRollout;
  readonly isPaused: boolean;
}

function toSetsPlan(seen: ObservedDeployment, { sets, target, rollout, isPaused }: Planned): Checked<PlannedSets> {
  const ofTarget = target === undefined ? [] : [targetWrite(seen, { sets, target, rollout, isPaused })];
  const ofOld = sets.old
    .toSorted((a, b) => byAge(a.counts, b.counts))
    .map(each => oldWrite(seen, { sets, target, rollout }, each));
  return mapChecked(allInOrder([...ofTarget, ...ofOld]), writes => ({
    sets,
    target,
    writes,
    notes: withNotes(rollout, target),
  }));
}

function withNotes(rollout: PlannedRollout, target: TargetSet | undefined): PlannedRollout['notes'] {
  return target === undefined
    ? rollout.notes
    : target.notes.reduce((plan, note) => withNote(plan, target.counts.name, note), rollout).notes;
}

function targetWrite(
  { deployment }: ObservedDeployment,
  { sets, target, rollout, isPaused }: Planned & { readonly target: TargetSet },
): Checked<SetWrite> {
  const { set, name, counts, revision, acknowledged } = target;
  const replicas = rollout.replicas.get(name.name) ?? counts.spec;
  // Machines that have been moved are still acknowledged while the rollout is paused.
  const sources = isPaused && set !== undefined ? receivesFrom(set) : rollout.moves;
  const annotations = {
    ...commonAnnotations(deployment, sets.limits),
    ...currentSetAnnotations({ revision, receivesFrom: sources, acknowledged }),
  };
  const desired = { deployment, replicas, annotations };
  const written = { name: name.name, set, before: set?.spec.replicas ?? 0, after: replicas };
  return set === undefined
    ? valid({ ...written, intent: toNewSet(desired, name) })
    : mapChecked(toExistingSet(desired, set.object), intent => ({ ...written, intent }));
}

function oldWrite(
  { deployment }: ObservedDeployment,
  { sets, target, rollout }: Omit<Planned, 'isPaused'>,
  { set, counts }: PlannedSet,
): Checked<SetWrite> {
  const replicas = rollout.replicas.get(counts.name) ?? counts.spec;
  const annotations = {
    ...commonAnnotations(deployment, sets.limits),
    ...oldSetAnnotations({
      stored: set.metadata.annotations,
      strategy: deployment.spec.rollout.strategy.type,
      movesTo: rollout.moves.includes(counts.name) ? target?.name.name : undefined,
    }),
  };
  return mapChecked(toExistingSet({ deployment, replicas, annotations }, set.object), intent => ({
    name: counts.name,
    set,
    before: counts.spec,
    after: replicas,
    intent,
  }));
}
