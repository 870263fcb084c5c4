// One invocation of the planner on the model: it reads, plans, and then writes step by step.
import { acknowledgeMoves } from '../../../../../functions/machinedeployment/plan/rollout/acknowledge-moves.ts';
import { type RolloutLimits, toLimits } from '../../../../../functions/machinedeployment/plan/rollout/limits.ts';
import { planOnDelete } from '../../../../../functions/machinedeployment/plan/rollout/on-delete.ts';
import { planRollingUpdate } from '../../../../../functions/machinedeployment/plan/rollout/rolling-update.ts';
import {
  emptyPlan,
  type PlannedRollout,
  type SetCounts,
} from '../../../../../functions/machinedeployment/plan/rollout/rollout-plan.ts';
import { scalePaused } from '../../../../../functions/machinedeployment/plan/rollout/scale-paused.ts';
import { chooseCurrentSet } from '../../../../../functions/machinedeployment/plan/sets/current-set.ts';
import {
  isAvailable,
  type ModelLists,
  type ModelMachine,
  type ModelSet,
  type ModelSpec,
  type ModelWorld,
} from './rollout-model.ts';

type Write = (world: ModelWorld) => boolean;

interface Invoked {
  readonly updatesInPlace: boolean;
  /** The first list. The second one is made now. Default: both are made now. */
  readonly first?: ModelLists | undefined;
}

interface ReadSet {
  readonly set: ModelSet;
  readonly counts: SetCounts;
  readonly isUpToDate: boolean;
  readonly isDeleting: false;
}

export class ModelInvocation {
  readonly spec: ModelSpec;
  readonly limits: RolloutLimits;
  /** The number of failures at the time of the reads. */
  readonly failures: number;
  /** The number of outdated writes at the time of the reads. */
  readonly outdatedWrites: number;
  /** The available Machines that the read statuses report, without those that are about to be deleted. */
  readonly reported: number;
  /** The Machines that existed or were about to be created at the time of the reads. */
  readonly wanted: number;
  /** The names of the moved Machines that this pass counts for the first time. */
  readonly acknowledges: readonly string[] = [];
  readonly plan: PlannedRollout;
  /** The name of the current MachineSet. "" if a paused pass has none. */
  readonly current: string;
  readonly #writes: Write[];

  constructor(world: ModelWorld, { updatesInPlace, first = world.lists() }: Invoked) {
    const second = world.lists();
    const [sets, allMachines] =
      world.weakness === 'Machines are listed first' ? [second.sets, first.machines] : [first.sets, second.machines];
    const machinesOf = (name: string): readonly ModelMachine[] => allMachines.filter(({ set }) => set === name);
    this.spec = first.spec;
    this.failures = first.failures;
    this.outdatedWrites = first.outdatedWrites;
    this.wanted = Math.max(first.wanted, second.wanted);
    const { strategy: type, maxSurge, maxUnavailable, replicas, template } = first.spec;
    this.limits = toLimits({ type, maxSurge, maxUnavailable }, replicas);
    const found = sets.map((set): ReadSet => {
      const counts = world.weakness === 'only statuses count' ? { ...set } : exactCounts(set, machinesOf(set.name));
      return { set, counts, isUpToDate: set.template === template, isDeleting: false };
    });
    this.reported = found.reduce(
      (sum, { counts: { spec, status, available } }) => sum + Math.max(available - Math.max(status - spec, 0), 0),
      0,
    );
    const chosen = chooseCurrentSet(found, { after: undefined, now: 0 });
    if (this.spec.isPaused) {
      const counts = { current: chosen.current?.counts, old: chosen.old.map(each => each.counts) };
      this.plan = scalePaused({ strategy: type, limits: this.limits, ...counts });
      this.current = chosen.current?.set.name ?? '';
      this.#writes = found.map(({ set }) => this.#update(set, { moveTo: '', receiveFrom: [], acknowledged: [] }));
      return;
    }
    const old = chosen.old.map(({ set }) => set);
    const revision = 1 + Math.max(0, ...old.map(set => set.revision));
    const current = chosen.current?.set ?? newSet(template, revision);
    this.current = current.name;
    const pending = machinesOf(current.name).flatMap(({ name, isWaiting }) => (isWaiting ? [name] : []));
    const counts = chosen.current?.counts ?? { ...current, status: 0 };
    const read = { limits: this.limits, current: counts, old: chosen.old.map(each => each.counts) };
    const countsMoves = updatesInPlace && type === 'RollingUpdate';
    this.acknowledges = countsMoves ? pending.filter(name => !current.acknowledged.includes(name)) : [];
    const moved = countsMoves
      ? acknowledgeMoves({ ...read, pending, acknowledged: current.acknowledged })
      : { replicas: current.spec, annotation: undefined };
    const counted = { ...read, current: { ...counts, spec: moved.replicas } };
    this.plan = planOf(allMachines, counted, { isInPlace: updatesInPlace, type });
    const mayCreate = type === 'RollingUpdate';
    const change = {
      spec: this.plan.replicas.get(current.name) ?? moved.replicas,
      ...{ receiveFrom: this.plan.moves, acknowledged: moved.annotation?.split(',') ?? [] },
      ...{ mayCreate: true, moveTo: '', revision: Math.max(revision, current.revision) },
    };
    const isNew = chosen.current === undefined;
    this.#writes = [
      isNew ? each => each.create({ ...current, ...change }) : this.#update(current, change),
      ...old.map(set => this.#update(set, this.#ofOld(set, { mayCreate, receiveFrom: [], acknowledged: [] }))),
      ...this.#cleanUp(found, isNew ? [] : chosen.old),
    ];
  }

  #ofOld(set: ModelSet, change: Partial<ModelSet>): Partial<ModelSet> {
    return { ...change, moveTo: this.plan.moves.includes(set.name) ? this.current : '' };
  }

  #update({ name, version, spec }: ModelSet, change: Partial<ModelSet>): Write {
    const replicas = this.plan.replicas.get(name) ?? spec;
    return world => world.update(name, version, { spec: replicas, ...change });
  }

  /** Empty old MachineSets are deleted when the rollout is complete. */
  #cleanUp(read: readonly ReadSet[], old: readonly ReadSet[]): readonly Write[] {
    const { replicas } = this.spec;
    const isComplete = (['status', 'available', 'upToDate'] as const).every(
      field => read.reduce((sum, { set }) => sum + set[field], 0) === replicas,
    );
    const empty = old.filter(
      ({ counts: { name, spec, status } }) => (this.plan.replicas.get(name) ?? spec) === 0 && status === 0,
    );
    return isComplete
      ? empty.map(
          ({ set: { name, version } }) =>
            world =>
              world.delete(name, version),
        )
      : [];
  }

  planText(): string {
    const { replicas, moves } = this.plan;
    return `current ${this.current}, ${[...replicas].join(' ')}, moves ${moves.join(' ')}`;
  }

  get isDone(): boolean {
    return this.#writes.length === 0;
  }

  /** Sends the next write. A conflict ends the invocation. */
  step(world: ModelWorld): void {
    const write = this.#writes.shift();
    if (write?.(world) === false) {
      this.#writes.length = 0;
    } else if (this.spec.generation !== world.spec.generation) {
      world.outdatedWrites += 1;
    }
  }
}

/** Returns the counts of the set as a pass corrects them by the Machines that it listed. */
function exactCounts(set: ModelSet, machines: readonly ModelMachine[]): SetCounts {
  const listed = machines.filter(machine => isAvailable(machine) && !machine.isDeleting).length;
  return {
    ...set,
    status: Math.max(set.status, machines.length),
    available: Math.min(set.available, listed),
  };
}

function newSet(template: number, revision: number): ModelSet {
  return {
    ...{ name: `s${revision}-${template}`, template, revision, version: 0, createdAt: Number.MAX_SAFE_INTEGER },
    ...{ spec: 0, status: 0, available: 0, upToDate: 0 },
    ...{ moveTo: '', receiveFrom: [], acknowledged: [], mayCreate: true },
  };
}

interface PlannedSets {
  readonly limits: RolloutLimits;
  readonly current: SetCounts;
  readonly old: readonly SetCounts[];
}

function planOf(
  machines: readonly ModelMachine[],
  sets: PlannedSets,
  { isInPlace, type }: { readonly isInPlace: boolean; readonly type: string },
): PlannedRollout {
  if (type === 'OnDelete') {
    return planOnDelete(sets);
  }
  const updatable = new Set(sets.old.map(({ name }) => name));
  const isUpdating = machines.some(machine => machine.isUpdating);
  const plan = planRollingUpdate({ ...sets, ...(isInPlace ? { inPlace: { updatable, isUpdating } } : {}) });
  return plan.ok ? plan.value : emptyPlan;
}
