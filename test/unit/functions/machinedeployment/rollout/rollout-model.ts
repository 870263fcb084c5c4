// A model of MachineSets and Machines for random rollouts. Every write is conditional on the version that was read, as
// on the API server.
import { byAge } from '../../../../../functions/machinedeployment/plan/rollout/rollout-plan.ts';

export interface ModelMachine {
  readonly name: string;
  set: string;
  state: 'creating' | 'available' | 'failed';
  isDeleting: boolean;
  isUpdating: boolean;
  isWaiting: boolean;
}

export interface ModelSet {
  readonly name: string;
  readonly template: number;
  readonly createdAt: number;
  revision: number;
  version: number;
  spec: number;
  status: number;
  available: number;
  upToDate: number;
  moveTo: string;
  receiveFrom: readonly string[];
  acknowledged: readonly string[];
  mayCreate: boolean;
}

/** The specification of the MachineDeployment. A change makes a new one. */
export interface ModelSpec {
  readonly generation: number;
  readonly replicas: number;
  readonly template: number;
  readonly maxSurge: number | string;
  readonly maxUnavailable: number | string;
  readonly strategy: 'RollingUpdate' | 'OnDelete';
  readonly isPaused: boolean;
}

/** A rule that the model leaves out, to show that it is needed. */
export type ModelWeakness = 'updates overwrite' | 'only statuses count' | 'Machines are listed first';

/** What an invocation reads at one time. */
export interface ModelLists {
  readonly spec: ModelSpec;
  /** In the order of their age. */
  readonly sets: readonly ModelSet[];
  readonly machines: readonly ModelMachine[];
  readonly failures: number;
  readonly outdatedWrites: number;
  /** The Machines that exist or are about to be created. */
  readonly wanted: number;
}

export class ModelWorld {
  spec: ModelSpec;
  readonly weakness: ModelWeakness | undefined;
  readonly sets = new Map<string, ModelSet>();
  readonly machines = new Map<string, ModelMachine>();
  /** Counts the Machines that failed or disappeared by themselves. */
  failures = 0;
  /** Counts the writes of invocations that had read an older specification of the MachineDeployment. */
  outdatedWrites = 0;
  #nextMachine = 1;
  #clock = 0;

  constructor(spec: ModelSpec, weakness?: ModelWeakness) {
    this.spec = spec;
    this.weakness = weakness;
  }

  lists(): ModelLists {
    return {
      spec: this.spec,
      sets: this.inOrder().map(set => ({ ...set })),
      machines: [...this.machines.values()].map(machine => ({ ...machine })),
      failures: this.failures,
      outdatedWrites: this.outdatedWrites,
      wanted: this.wanted(),
    };
  }

  machinesOf(set: string): readonly ModelMachine[] {
    return [...this.machines.values()].filter(machine => machine.set === set);
  }

  /** All Machines that exist or that a MachineSet is about to create. */
  wanted(): number {
    return [...this.sets.values()].reduce(
      (sum, { name, spec }) => sum + Math.max(spec, this.machinesOf(name).length),
      0,
    );
  }

  /** The available Machines that are left when all MachineSets have the Machines that they want. */
  guaranteed(): number {
    return [...this.sets.values()].reduce((sum, set) => {
      const machines = this.machinesOf(set.name).filter(({ isDeleting }) => !isDeleting);
      const available = machines.filter(isAvailable).length;
      const lost = machines.length - set.spec - machines.filter(({ state }) => state === 'creating').length;
      return sum + available - Math.min(Math.max(lost, 0), available);
    }, 0);
  }

  /** Fails if the name is in use. */
  create(set: Omit<ModelSet, 'version' | 'createdAt' | 'status' | 'available' | 'upToDate'>): boolean {
    if (this.sets.has(set.name)) {
      return false;
    }
    this.#clock += 1;
    const counts = { version: 1, createdAt: this.#clock, status: 0, available: 0, upToDate: 0 };
    this.sets.set(set.name, { ...set, ...counts });
    return true;
  }

  /** Fails if the MachineSet has changed since this version. */
  update(name: string, version: number, change: Partial<ModelSet>): boolean {
    const set = this.sets.get(name);
    if (set === undefined || (set.version !== version && this.weakness !== 'updates overwrite')) {
      return false;
    }
    if (Object.entries(change).some(([key, value]) => !same(set[key as keyof ModelSet], value))) {
      Object.assign(set, change, { version: set.version + 1 });
    }
    return true;
  }

  delete(name: string, version: number): boolean {
    if (this.sets.get(name)?.version !== version) {
      return false;
    }
    this.sets.delete(name);
    return true;
  }

  /** One pass of a MachineSet: moved Machines, then creation, deletion or moves of at most `most` Machines. */
  reconcileSet(set: ModelSet, most: number): void {
    for (const machine of this.machinesOf(set.name)) {
      machine.isWaiting &&= set.receiveFrom.length > 0 && !set.acknowledged.includes(machine.name);
    }
    const machines = this.machinesOf(set.name);
    const missing = set.spec - machines.length;
    if (missing > 0 && set.mayCreate) {
      for (let count = 0; count < Math.min(missing, most); count += 1) {
        this.#createMachine(set.name);
      }
    }
    const waiting = set.receiveFrom.length > 0 ? machines.filter(({ isWaiting }) => isWaiting).length : 0;
    const surplus = -missing - waiting;
    if (surplus > 0) {
      this.#shrink(set, machines, { surplus, most });
    }
  }

  #shrink(
    set: ModelSet,
    machines: readonly ModelMachine[],
    { surplus, most }: { surplus: number; most: number },
  ): void {
    const leaving = machines.filter(({ isDeleting }) => isDeleting).length;
    const target = this.sets.get(set.moveTo);
    const count = Math.min(surplus - leaving, most);
    const staying = machines.filter(({ isDeleting }) => !isDeleting);
    // Machines without Node are first. Of the others, the choice is the worst one.
    const rank = (machine: ModelMachine): number => (machine.state === 'creating' ? 0 : isAvailable(machine) ? 1 : 2);
    const order = staying.toSorted((a, b) => rank(a) - rank(b));
    if (target?.receiveFrom.includes(set.name) === true) {
      // A Machine without Node stays.
      const movable = order
        .filter(({ state, isUpdating }) => state !== 'creating' && !isUpdating)
        .slice(0, Math.max(count, 0));
      for (const machine of movable) {
        Object.assign(machine, { set: target.name, isUpdating: true, isWaiting: true });
      }
    } else if (set.moveTo === '') {
      for (const machine of order.slice(0, Math.max(count, 0))) {
        machine.isDeleting = true;
      }
    }
  }

  #createMachine(set: string): void {
    const name = `m${this.#nextMachine}`;
    this.#nextMachine += 1;
    this.machines.set(name, {
      ...{ name, set, state: 'creating' },
      ...{ isDeleting: false, isUpdating: false, isWaiting: false },
    });
  }

  /** Writes the counters of a MachineSet. */
  report(set: ModelSet): void {
    const machines = this.machinesOf(set.name);
    const available = machines.filter(machine => isAvailable(machine) && !machine.isDeleting).length;
    const upToDate = set.template === this.spec.template ? available : 0;
    this.update(set.name, set.version, { status: machines.length, available, upToDate });
  }

  /** One step of a Machine. */
  advance(machine: ModelMachine): void {
    if (machine.isDeleting) {
      this.machines.delete(machine.name);
    } else if (machine.state === 'creating') {
      machine.state = 'available';
    } else if (machine.isUpdating && !machine.isWaiting) {
      machine.isUpdating = false;
    }
  }

  /** Machines of the current template that failed are replaced. Those of old templates are not. */
  remediate(): void {
    for (const machine of this.machines.values()) {
      if (machine.state === 'failed' && this.sets.get(machine.set)?.template === this.spec.template) {
        machine.isDeleting = true;
      }
    }
  }

  inOrder(): readonly ModelSet[] {
    return [...this.sets.values()].toSorted(byAge);
  }
}

export function isAvailable({ state, isUpdating }: ModelMachine): boolean {
  return state === 'available' && !isUpdating;
}

function same(a: unknown, b: unknown): boolean {
  return a === b || (Array.isArray(a) && Array.isArray(b) && a.join() === b.join());
}
