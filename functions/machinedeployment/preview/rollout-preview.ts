// What a rollout would do, step by step. The planner plans against a model in which all Machines become available, and
// deleted ones disappear, before the next step. Pure.
import { type Checked, valid } from '@capi-serverless/apimachinery';
import { acknowledgeMoves } from '../plan/rollout/acknowledge-moves.ts';
import { onDelete, type RolloutLimits } from '../plan/rollout/limits.ts';
import { planOnDelete } from '../plan/rollout/on-delete.ts';
import { planRollingUpdate } from '../plan/rollout/rolling-update.ts';
import { type PlannedRollout, replicasAfter, type SetCounts, total } from '../plan/rollout/rollout-plan.ts';

export interface PreviewedRollout {
  readonly strategy: string;
  readonly limits: RolloutLimits;
  /** The MachineSet with the new template. It has no Machines if it must be created. */
  readonly current: SetCounts;
  readonly old: readonly SetCounts[];
  /** The old MachineSets whose Machines an extension updates in place. */
  readonly updatable: ReadonlySet<string>;
}

interface SetChange {
  readonly set: string;
  readonly from: number;
  readonly to: number;
}

export interface RolloutStep {
  readonly changes: readonly SetChange[];
  readonly created: number;
  readonly deleted: number;
  /** Machines that are updated in place. */
  readonly updated: number;
  /** The most Machines that exist during the step. */
  readonly mostMachines: number;
  /** The fewest available Machines during the step. */
  readonly fewestAvailable: number;
}

export interface RolloutPreview {
  /** The first steps, at most `mostSteps`. */
  readonly steps: readonly RolloutStep[];
  readonly created: number;
  readonly deleted: number;
  readonly updated: number;
  readonly mostMachines: number;
  readonly fewestAvailable: number;
  /** The Machines that exist in addition to the replicas for some time. */
  readonly surgeMachines: number;
  /**
   * 'complete': all Machines have the new template. 'waits': a user must delete Machines, or nothing else changes.
   * 'cut': more steps follow.
   */
  readonly end: 'complete' | 'waits' | 'cut';
}

/** A rollout of 500 Machines, one after the other, has two steps for each. */
export const mostSteps = 1000;

interface Model {
  readonly current: SetCounts;
  readonly old: readonly SetCounts[];
}

/** Fails if the surge is not valid. */
export function previewRollout(rollout: PreviewedRollout): Checked<RolloutPreview> {
  let model: Model = { current: settled(rollout.current), old: rollout.old.map(settled) };
  const steps: RolloutStep[] = [];
  for (;;) {
    const plan = planStep(rollout, model);
    if (!plan.ok) {
      return plan;
    }
    if (plan.value.replicas.size === 0) {
      return valid(toPreview(rollout, steps, isComplete(rollout, model) ? 'complete' : 'waits'));
    }
    if (steps.length === mostSteps) {
      return valid(toPreview(rollout, steps, 'cut'));
    }
    const { step, next } = perform(rollout.limits, model, plan.value);
    steps.push(step);
    model = next;
  }
}

function planStep({ strategy, limits, updatable }: PreviewedRollout, model: Model): Checked<PlannedRollout> {
  return strategy === onDelete
    ? valid(planOnDelete({ limits, ...model }))
    : planRollingUpdate({ limits, ...model, inPlace: { updatable, isUpdating: false } });
}

/** All Machines that the MachineSet wants exist and are available. */
function settled(set: SetCounts): SetCounts {
  const { spec } = set;
  return { ...set, status: spec, available: spec, upToDate: spec };
}

function isComplete({ limits }: PreviewedRollout, { current, old }: Model): boolean {
  return current.spec === limits.replicas && old.every(({ spec }) => spec === 0);
}

function perform(limits: RolloutLimits, model: Model, plan: PlannedRollout): { step: RolloutStep; next: Model } {
  const { current, old } = model;
  const to = (set: SetCounts) => replicasAfter(plan, set);
  const lost = (sets: readonly SetCounts[]) => total(sets, set => Math.max(set.spec - to(set), 0));
  const updated = lost(old.filter(({ name }) => plan.moves.includes(name)));
  const deleted = lost([current, ...old]) - updated;
  const created = Math.max(to(current) - current.spec, 0);
  const existing = total([current, ...old], ({ status }) => status);
  const step = {
    changes: [current, ...old].flatMap(set =>
      to(set) === set.spec ? [] : [{ set: set.name, from: set.spec, to: to(set) }],
    ),
    created,
    deleted,
    updated,
    mostMachines: existing + created,
    fewestAvailable: existing - deleted - updated,
  };
  const scaled = { ...current, spec: to(current) };
  const rest = old.map(set => settled({ ...set, spec: to(set) }));
  return { step, next: { current: settled(withMoved(limits, scaled, rest, updated)), old: rest } };
}

/** The current MachineSet counts the Machines that it gets. */
function withMoved(limits: RolloutLimits, current: SetCounts, old: readonly SetCounts[], moved: number): SetCounts {
  const pending = Array.from({ length: moved }, (_, index) => `moved-${index}`);
  const holding = { ...current, status: current.spec + moved };
  return { ...current, spec: acknowledgeMoves({ limits, current: holding, old, pending, acknowledged: [] }).replicas };
}

function toPreview(
  { limits, current, old }: PreviewedRollout,
  steps: readonly RolloutStep[],
  end: RolloutPreview['end'],
): RolloutPreview {
  const sum = (countOf: (step: RolloutStep) => number) => steps.reduce((all, step) => all + countOf(step), 0);
  const start = total([current, ...old], ({ spec }) => spec);
  const mostMachines = Math.max(start, ...steps.map(step => step.mostMachines));
  return {
    steps,
    created: sum(({ created }) => created),
    deleted: sum(({ deleted }) => deleted),
    updated: sum(({ updated }) => updated),
    mostMachines,
    fewestAvailable: Math.min(start, ...steps.map(step => step.fewestAvailable)),
    surgeMachines: Math.max(mostMachines - limits.replicas, 0),
    end,
  };
}
