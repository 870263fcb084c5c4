// The MachineSet that gets the Machines: the current one, or a new one.
import { andThen, type Checked, invalid, valid } from '@capi-serverless/apimachinery';
import type { WholeMachineSet } from '../../../shared/api/machine-set/whole-machine-set.ts';
import type { Digest } from '../../../shared/names/random-characters.ts';
import type { DeploymentTemplate, ObservedDeployment } from '../seen.ts';
import { acknowledgedBy, pendingMoves } from './moves.ts';
import { acknowledgeMoves } from './rollout/acknowledge-moves.ts';
import type { SetCounts } from './rollout/rollout-plan.ts';
import { namesOf, type RolloutSets } from './rollout-sets.ts';
import type { SetName } from './sets/desired-set.ts';
import { nextRevision, type SetRevision } from './sets/set-annotations.ts';

export interface TargetSet {
  /** Absent if this pass creates the MachineSet. */
  readonly set: WholeMachineSet | undefined;
  readonly name: SetName;
  /** Its replicas include the Machines that this pass acknowledges. */
  readonly counts: SetCounts;
  readonly revision: SetRevision;
  readonly acknowledged: string | undefined;
  /** For logs. */
  readonly notes: readonly string[];
}

/** What a new MachineSet depends on besides the deployment. */
export interface SetCreation {
  /** The names of all MachineSets in the namespace. */
  readonly taken: ReadonlySet<string>;
  readonly digest: Digest;
}

/** Fails if a MachineSet must be created and a template is missing. */
export function toTargetSet(seen: ObservedDeployment, sets: RolloutSets, creation: SetCreation): Checked<TargetSet> {
  const { current, old } = sets;
  const objects = old.map(({ set }) => set.object);
  return andThen(nextRevision(current?.set.object, objects), revision =>
    current === undefined ? newTarget(seen, { sets, revision }, creation) : valid(existingTarget(seen, sets, revision)),
  );
}

function newTarget(
  { deployment, infrastructure, bootstrap, now }: ObservedDeployment,
  { sets, revision }: { readonly sets: RolloutSets; readonly revision: SetRevision },
  { taken, digest }: SetCreation,
): Checked<TargetSet> {
  if (!canCreateFrom([infrastructure, bootstrap])) {
    return invalid('cannot create a MachineSet when templates do not exist');
  }
  const { after } = sets.time;
  const isRestart = after !== undefined && after <= now;
  const names = namesOf(deployment, { revision: revision.number, isRestart }, digest);
  const name = names.find(each => !taken.has(each.name));
  if (name === undefined) {
    return invalid(`failed to choose a name for a new MachineSet: ${names.map(each => each.name).join(', ')} exist`);
  }
  const counts = { name: name.name, createdAt: now, spec: 0, status: 0, available: 0, upToDate: 0 };
  return valid({ set: undefined, name, counts, revision, acknowledged: undefined, notes: [] });
}

function existingTarget(
  { machines, settings }: ObservedDeployment,
  { limits, current, old }: RolloutSets,
  revision: SetRevision,
): TargetSet {
  const { set, counts } = current as NonNullable<typeof current>; // true: the caller has checked it
  const target = { set, name: { name: counts.name, hash: '' }, revision };
  if (!settings.updatesInPlace) {
    return { ...target, counts, acknowledged: undefined, notes: [] };
  }
  const moved = acknowledgeMoves({
    limits,
    current: counts,
    old: old.map(each => each.counts),
    pending: pendingMoves(counts.name, machines),
    acknowledged: acknowledgedBy(set),
  });
  return {
    ...target,
    counts: { ...counts, spec: moved.replicas },
    acknowledged: moved.annotation,
    notes: moved.note === undefined ? [] : [moved.note],
  };
}

/** Whether a MachineSet can be created. */
function canCreateFrom(templates: readonly DeploymentTemplate[]): boolean {
  return templates.every(({ state }) => state !== 'missing');
}
