// One random rollout on the model.
import { ModelInvocation } from './model-invocation.ts';
import {
  isAvailable,
  type ModelLists,
  type ModelMachine,
  type ModelSet,
  type ModelSpec,
  type ModelWeakness,
  ModelWorld,
} from './rollout-model.ts';

/** The number of rounds in which a rollout without faults must end, for each Machine that it replaces. */
const roundsPerMachine = 12;

/** https://gist.github.com/tommyettinger/46a874533244883189143505d203312c */
function randomNumbers(start: number): () => number {
  let state = start;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

interface RandomRolloutOptions {
  readonly isRecorded?: boolean;
  readonly weakness?: ModelWeakness | undefined;
}

export class RandomRollout {
  readonly #random: () => number;
  readonly #world: ModelWorld;
  readonly #updatesInPlace: boolean;
  /** Only recorded if asked for: it takes much longer than the steps. */
  readonly #history: string[] | undefined;
  readonly #running: ModelInvocation[] = [];
  /** Whether other steps may happen between the list of MachineSets and the list of Machines. */
  readonly #listsApart: boolean;
  /** The first list of an invocation that has not made the second one. */
  #first: ModelLists | undefined;

  constructor(seed: number, { isRecorded = false, weakness }: RandomRolloutOptions = {}) {
    this.#history = isRecorded ? [] : undefined;
    this.#listsApart = seed % 2 === 1;
    this.#random = randomNumbers(seed);
    this.#updatesInPlace = this.#chance(0.3);
    this.#world = new ModelWorld(this.#newSpec(1), weakness);
  }

  /** Returns the first step that broke a rule, with the steps before it. */
  play(): string | undefined {
    const steps = 20 + this.#below(80);
    for (let step = 0; step < steps; step += 1) {
      const problem = this.#act();
      if (problem !== undefined) {
        return this.#explain(problem);
      }
    }
    const problem = this.#finish();
    return problem === undefined ? undefined : this.#explain(problem);
  }

  #explain(problem: string): string {
    return [problem, ...(this.#history ?? [])].join('\n');
  }

  #record(step: string): void {
    this.#history?.push(step, ...this.#world.inOrder().map(set => this.#describe(set)));
  }

  #describe({ name, spec, status, available, upToDate, moveTo, acknowledged }: ModelSet): string {
    const machines = this.#world
      .machinesOf(name)
      .map(
        machine =>
          `${machine.name} ${machine.state}${machine.isDeleting ? ' deleting' : ''}${machine.isUpdating ? ' updating' : ''}${machine.isWaiting ? ' waiting' : ''}`,
      );
    return `  ${name} ${status}/${spec} a${available} u${upToDate} [${moveTo}|${acknowledged}] ${machines.join(', ')}`;
  }

  #chance(share: number): boolean {
    return this.#random() < share;
  }

  #below(count: number): number {
    return Math.floor(this.#random() * count);
  }

  #pick<T>(list: readonly T[]): T | undefined {
    return list[this.#below(list.length)];
  }

  #newSpec(generation: number): ModelSpec {
    const amount = (most: number) => (this.#chance(0.3) ? `${this.#below(101)}%` : this.#below(most));
    return {
      generation,
      replicas: this.#below(9),
      template: this.#below(3),
      maxSurge: amount(4),
      maxUnavailable: amount(4),
      strategy: this.#chance(0.85) ? 'RollingUpdate' : 'OnDelete',
      isPaused: false,
    };
  }

  #changeSpec(): void {
    const { spec } = this.#world;
    const fresh = this.#newSpec(spec.generation + 1);
    const changes: readonly Partial<ModelSpec>[] = [
      { template: fresh.template },
      { template: fresh.template },
      { replicas: fresh.replicas },
      { maxSurge: fresh.maxSurge, maxUnavailable: fresh.maxUnavailable },
      { strategy: fresh.strategy },
      { isPaused: !spec.isPaused },
    ];
    this.#world.spec = { ...spec, ...this.#pick(changes), generation: fresh.generation };
    this.#record(`spec ${JSON.stringify(this.#world.spec)}`);
  }

  #act(): string | undefined {
    const dice = this.#random();
    if (dice < 0.3) {
      return this.#invoke();
    }
    if (dice < 0.6) {
      return this.#stepSet();
    }
    if (dice < 0.93) {
      this.#stepMachine();
    } else {
      this.#changeSpec();
    }
    return undefined;
  }

  /** At most two invocations run at the same time. */
  #invoke(): string | undefined {
    if (this.#listsApart && this.#first === undefined && this.#chance(0.3)) {
      this.#first = this.#world.lists();
      this.#record('first list');
      return undefined;
    }
    if (this.#running.length < 2 && this.#chance(0.5)) {
      const first = this.#first;
      this.#first = undefined;
      const invocation = new ModelInvocation(this.#world, { updatesInPlace: this.#updatesInPlace, first });
      this.#running.push(invocation);
      this.#record(`read ${this.#running.length}: ${invocation.planText()}`);
    }
    const at = this.#below(this.#running.length);
    const invocation = this.#running[at];
    if (invocation === undefined) {
      return undefined;
    }
    const writes = this.#chance(0.6) ? 20 : 1;
    for (let count = 0; count < writes && !invocation.isDone; count += 1) {
      const problem = this.#write(invocation);
      if (problem !== undefined) {
        return problem;
      }
    }
    // A crash loses the writes that are left.
    if (invocation.isDone || this.#chance(0.1)) {
      this.#running.splice(at, 1);
    }
    return undefined;
  }

  #write(invocation: ModelInvocation): string | undefined {
    const wanted = this.#world.wanted();
    const guaranteed = this.#world.guaranteed();
    invocation.step(this.#world);
    this.#record(`write of generation ${invocation.spec.generation}`);
    return this.#judge(invocation, { wanted, guaranteed });
  }

  /**
   * An invocation that read an older specification may write beside one that read the newer one. Then only the end of
   * the rollout is judged.
   */
  #judge(
    invocation: ModelInvocation,
    before: { readonly wanted: number; readonly guaranteed: number },
  ): string | undefined {
    const { spec, limits, failures, outdatedWrites, plan, current, reported } = invocation;
    if (spec.generation !== this.#world.spec.generation || outdatedWrites !== this.#world.outdatedWrites) {
      return undefined;
    }
    const most = limits.replicas + limits.surge;
    const wanted = this.#world.wanted();
    if (wanted > Math.max(most, before.wanted + this.#lostSinceRead(invocation, before.wanted))) {
      return `${wanted} Machines, ${most} allowed`;
    }
    const isRolling = spec.strategy === 'RollingUpdate' && !spec.isPaused && failures === this.#world.failures;
    const isShrinking = plan.replicas.get(current) === limits.replicas;
    const isStuck = [...plan.notes.values()].flat().some(note => note.includes('unblock rollout'));
    const guaranteed = this.#world.guaranteed();
    if (
      isRolling &&
      !isShrinking &&
      !isStuck &&
      guaranteed < Math.min(limits.minAvailable, before.guaranteed, reported)
    ) {
      return `${guaranteed} available, ${limits.minAvailable} required`;
    }
    return undefined;
  }

  /**
   * A moved Machine can disappear after the pass that counts it has read it. Then the write has the effect that it would
   * have had before the Machine disappeared: the MachineSet replaces the Machine. It adds no Machine to those that were
   * read.
   */
  #lostSinceRead({ acknowledges, wanted }: ModelInvocation, before: number): number {
    const lost = acknowledges.filter(name => !this.#world.machines.has(name)).length;
    return Math.min(lost, Math.max(wanted - before, 0));
  }

  #stepSet(): string | undefined {
    const set = this.#pick(this.#world.inOrder());
    if (set === undefined) {
      return undefined;
    }
    const wanted = this.#world.wanted();
    if (this.#chance(0.8)) {
      this.#world.reconcileSet(set, this.#chance(0.8) ? 100 : 1);
    }
    if (this.#chance(0.7)) {
      this.#world.report(set);
    }
    this.#record(`set ${set.name}`);
    return this.#world.wanted() > wanted ? `MachineSet ${set.name} made a Machine too many` : undefined;
  }

  #stepMachine(): void {
    const machine = this.#pick([...this.#world.machines.values()]);
    if (machine === undefined) {
      return;
    }
    const dice = this.#random();
    if (dice < 0.1) {
      this.#fail(machine);
    } else if (dice < 0.15) {
      this.#world.failures += 1;
      machine.isDeleting = true;
    } else {
      this.#world.advance(machine);
    }
    this.#record(`machine ${machine.name}`);
  }

  #fail(machine: ModelMachine): void {
    if (machine.state === 'available') {
      machine.state = 'failed';
      this.#world.failures += 1;
    } else if (machine.state === 'failed') {
      machine.state = 'available';
    }
  }

  /** Nothing fails any more. Everything takes turns until the rollout is complete. */
  #finish(): string | undefined {
    while (this.#running.length > 0) {
      const [invocation] = this.#running;
      if (invocation === undefined || invocation.isDone) {
        this.#running.shift();
      } else {
        invocation.step(this.#world);
      }
    }
    this.#world.spec = { ...this.#world.spec, isPaused: false, generation: this.#world.spec.generation + 1 };
    const rounds = roundsPerMachine * (this.#world.machines.size + this.#world.spec.replicas + 2);
    for (let round = 0; round < rounds; round += 1) {
      const problem = this.#round();
      if (problem !== undefined || this.#isComplete()) {
        return problem;
      }
    }
    return `not complete after ${rounds} rounds`;
  }

  #round(): string | undefined {
    const invocation = new ModelInvocation(this.#world, { updatesInPlace: this.#updatesInPlace });
    while (!invocation.isDone) {
      const problem = this.#write(invocation);
      if (problem !== undefined) {
        return problem;
      }
    }
    if (this.#world.spec.strategy === 'OnDelete') {
      this.#deleteOldMachine();
    }
    for (const machine of [...this.#world.machines.values()]) {
      this.#world.advance(machine);
    }
    this.#world.remediate();
    for (const set of this.#world.inOrder()) {
      this.#world.reconcileSet(set, 100);
      this.#world.report(set);
    }
    return undefined;
  }

  #deleteOldMachine(): void {
    const old = [...this.#world.machines.values()].find(
      ({ set, isDeleting }) => !isDeleting && this.#templateOf(set) !== this.#world.spec.template,
    );
    if (old !== undefined) {
      old.isDeleting = true;
    }
  }

  #templateOf(set: string): number | undefined {
    return this.#world.sets.get(set)?.template;
  }

  #isComplete(): boolean {
    const { replicas, template } = this.#world.spec;
    const machines = [...this.#world.machines.values()];
    const [set, ...others]: readonly ModelSet[] = this.#world.inOrder();
    return (
      others.length === 0 &&
      set?.template === template &&
      set.spec === replicas &&
      machines.length === replicas &&
      machines.every(machine => isAvailable(machine) && !machine.isDeleting)
    );
  }
}
