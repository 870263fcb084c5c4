// A simplified MachineDeployment with its MachineSets and Machines. It plays the recorded sequences with the planner.
import { acknowledgeMoves } from '../../../../../functions/machinedeployment/plan/rollout/acknowledge-moves.ts';
import { type RolloutLimits, toLimits } from '../../../../../functions/machinedeployment/plan/rollout/limits.ts';
import { planOnDelete } from '../../../../../functions/machinedeployment/plan/rollout/on-delete.ts';
import { planRollingUpdate } from '../../../../../functions/machinedeployment/plan/rollout/rolling-update.ts';
import type {
  PlannedRollout,
  SetCounts,
} from '../../../../../functions/machinedeployment/plan/rollout/rollout-plan.ts';
import type { RolloutSequence } from './sequence.ts';

interface StandMachine {
  readonly name: string;
  set: string;
  template: string;
  isUpdating: boolean;
  isWaiting: boolean;
  isDeleting: boolean;
}

interface StandSet {
  readonly name: string;
  spec: number;
  status: number;
  available: number;
  upToDate: number;
  moveTo: string;
  receiveFrom: readonly string[];
  acknowledged: readonly string[];
}

interface Effect {
  /** The changes of the replicas of MachineSets, for instance `3→2`. A created one starts with `new`. */
  readonly scaled: ReadonlyMap<string, { readonly from: number; readonly to: number; readonly isNew: boolean }>;
  readonly breaches: readonly string[];
}

const numberOf = (name: string): number => Number(name.slice(1));
const numberAt = (text: string, pattern: RegExp): number => Number(pattern.exec(text)?.[1] ?? 0);

export class RolloutStand {
  readonly sets: StandSet[] = [];
  readonly #machines: StandMachine[] = [];
  readonly #limits: RolloutLimits;
  readonly #current: string;
  readonly #mode: 'roll' | 'inPlace' | 'delete';
  readonly #mostMissing: number;
  readonly #tolerates: string;
  readonly #keepsAnnotations: boolean;
  #next = 0;
  #counters = '';

  constructor({ name, about, start }: RolloutSequence, { keepsAnnotations = true } = {}) {
    this.#mode = name.startsWith('R') ? 'roll' : name.startsWith('I') ? 'inPlace' : 'delete';
    this.#keepsAnnotations = keepsAnnotations;
    this.#current = about.includes('change spec') ? 'ms3' : 'ms2';
    this.#mostMissing = numberAt(about, /maxUserUnavailable (\d+)/);
    this.#tolerates = about;
    const changed = numberAt(about, /scale (?:up|down) to (\d+)/);
    this.#limits = toLimits(
      {
        type: this.#mode === 'delete' ? 'OnDelete' : 'RollingUpdate',
        maxSurge: numberAt(about, /maxSurge (\d+)/),
        maxUnavailable: numberAt(about, /maxUnavailable (\d+)/),
      },
      changed === 0 ? numberAt(about, /^(\d+)/) : changed,
    );
    for (const [, set = '', count, machines = ''] of start.matchAll(/(ms\d+) (\d+)\/\d+ a\d+ \(([^)]*)\)/g)) {
      this.#addSet(set, Number(count));
      for (const machine of machines === 'none' ? [] : machines.split(',')) {
        this.#addMachine(set, machine);
      }
    }
  }

  #addSet(name: string, count: number): StandSet {
    const counts = { spec: count, status: count, available: count, upToDate: 0 };
    const set = { name, ...counts, moveTo: '', receiveFrom: [], acknowledged: [] };
    this.sets.push(set);
    return set;
  }

  #addMachine(set: string, name: string): void {
    this.#machines.push({ name, set, template: set, isUpdating: false, isWaiting: false, isDeleting: false });
    this.#next = Math.max(this.#next, numberOf(name) + 1);
  }

  #machinesOf(set: string): readonly StandMachine[] {
    return this.#machines.filter(machine => machine.set === set).sort((a, b) => numberOf(a.name) - numberOf(b.name));
  }

  #countsOf({ name, spec, status, available, upToDate }: StandSet): SetCounts {
    const machines = this.#machinesOf(name);
    const listed = machines.filter(({ isUpdating }) => !isUpdating).length;
    return {
      ...{ name, createdAt: 0, spec, upToDate },
      status: Math.max(status, machines.length),
      available: Math.min(available, listed),
    };
  }

  /** One pass of the MachineDeployment. */
  reconcile(): Effect {
    const found = this.sets.find(({ name }) => name === this.#current);
    const current = found ?? this.#addSet(this.#current, 0);
    const before = this.sets.map(set => ({ set, from: set.spec }));
    const old = this.sets.filter(set => set !== current);
    if (this.#mode === 'inPlace') {
      this.#acknowledge(current);
    }
    const plan = this.#plan(current, old);
    for (const set of this.sets) {
      set.spec = plan.replicas.get(set.name) ?? set.spec;
      set.moveTo = plan.moves.includes(set.name) ? current.name : this.#keepsAnnotations ? set.moveTo : '';
    }
    current.receiveFrom = plan.moves.length > 0 || !this.#keepsAnnotations ? plan.moves : current.receiveFrom;
    this.#counters = ['status', 'available', 'upToDate'].map(field => this.#sum(field as 'status')).join('/');
    const scaled = before
      .filter(({ set, from }) => from !== set.spec || (set === current && found === undefined))
      .map(({ set, from }) => {
        const isNew = set === current && found === undefined;
        return [set.name, { from, to: set.spec, isNew }] as const;
      });
    return { scaled: new Map(scaled), breaches: this.#breaches() };
  }

  #acknowledge(current: StandSet): void {
    const pending = this.#machinesOf(current.name).flatMap(({ name, isWaiting }) => (isWaiting ? [name] : []));
    const old = this.sets.filter(set => set !== current).map(set => this.#countsOf(set));
    const sets = { limits: this.#limits, current: this.#countsOf(current), old };
    const { replicas, annotation } = acknowledgeMoves({ ...sets, pending, acknowledged: current.acknowledged });
    current.spec = replicas;
    current.acknowledged = annotation?.split(',') ?? (this.#keepsAnnotations ? current.acknowledged : []);
  }

  #plan(current: StandSet, old: readonly StandSet[]): PlannedRollout {
    const sets = {
      limits: this.#limits,
      current: this.#countsOf(current),
      old: old.map(set => this.#countsOf(set)),
    };
    if (this.#mode === 'delete') {
      return planOnDelete(sets);
    }
    const isUpdating = this.#machines.some(machine => machine.isUpdating);
    const inPlace = { updatable: new Set(old.map(({ name }) => name)), isUpdating };
    const plan = planRollingUpdate({ ...sets, ...(this.#mode === 'inPlace' ? { inPlace } : {}) });
    if (!plan.ok) {
      throw new Error(plan.error);
    }
    return plan.value;
  }

  #sum(field: 'spec' | 'status' | 'available' | 'upToDate'): number {
    return this.sets.reduce((sum, set) => sum + set[field], 0);
  }

  #breaches(): readonly string[] {
    if (this.#mode === 'delete') {
      return [];
    }
    const { minAvailable, replicas, surge } = this.#limits;
    const most = this.sets.reduce((sum, { spec, status }) => sum + Math.max(spec, status), 0);
    const breaches = [
      ...(this.#sum('available') < minAvailable ? ['maxUnavailable breach'] : []),
      ...(most > replicas + surge ? ['maxSurge breach'] : []),
    ];
    const tolerated = [
      ...(this.#tolerates.includes('scale up') ? ['maxUnavailable breach'] : []),
      ...(this.#tolerates.includes('scale down') ? ['maxSurge breach'] : []),
    ];
    const refused = breaches.filter(breach => !tolerated.includes(breach));
    if (refused.length > 0) {
      throw new Error(`not tolerated: ${refused.join(', ')}`);
    }
    return breaches;
  }

  /** One pass of a MachineSet. Returns what it did. */
  reconcileSet(name: string): readonly string[] {
    const set = this.sets.find(each => each.name === name);
    if (set === undefined) {
      return [];
    }
    const finished = this.#machinesOf(name).filter(({ isUpdating, isWaiting }) => isUpdating && !isWaiting);
    for (const machine of finished) {
      machine.isUpdating = false;
    }
    for (const machine of this.#machinesOf(name)) {
      machine.isWaiting &&= set.receiveFrom.length > 0 && !set.acknowledged.includes(machine.name);
    }
    const effects = [...list(finished, names => `${names} ✓`), ...this.#scale(set)];
    const machines = this.#machinesOf(name);
    set.status = machines.length;
    set.available = machines.filter(({ isUpdating }) => !isUpdating).length;
    set.upToDate = name === this.#current ? set.available : 0;
    return effects;
  }

  #scale(set: StandSet): readonly string[] {
    const machines = this.#machinesOf(set.name);
    const surplus = machines.length - set.spec;
    if (surplus < 0) {
      // An old MachineSet of the strategy OnDelete creates no Machine.
      return this.#mode === 'delete' && set.name !== this.#current ? [] : this.#create(set, -surplus);
    }
    const waiting = set.receiveFrom.length > 0 ? machines.filter(({ isWaiting }) => isWaiting) : [];
    const count = Math.max(surplus - waiting.length, 0);
    const waits = surplus > 0 ? list([...waiting].sort(byText), names => `${names} wait`) : [];
    if (count === 0) {
      return waits;
    }
    return [...waits, ...(set.moveTo === '' ? this.#delete(machines, count) : this.#move(set, machines, count))];
  }

  #create(set: StandSet, count: number): readonly string[] {
    const names = Array.from({ length: count }, (_, index) => `m${this.#next + index}`);
    for (const name of names) {
      this.#addMachine(set.name, name);
    }
    return [`+${names.join(',')}`];
  }

  #move(set: StandSet, machines: readonly StandMachine[], count: number): readonly string[] {
    const moved = machines.filter(({ isDeleting, isUpdating }) => !isDeleting && !isUpdating).slice(0, count);
    for (const machine of moved) {
      Object.assign(machine, { set: set.moveTo, template: set.moveTo, isUpdating: true, isWaiting: true });
    }
    return list(moved, names => `${names}→${set.moveTo}`);
  }

  #delete(machines: readonly StandMachine[], count: number): readonly string[] {
    const updating = machines.filter(({ isUpdating }) => isUpdating).reverse();
    const chosen = [...updating, ...machines.filter(({ isUpdating }) => !isUpdating)].slice(0, count);
    for (const machine of chosen) {
      this.#machines.splice(this.#machines.indexOf(machine), 1);
    }
    return list(chosen, names => `−${names}`);
  }

  /** One step of the user, and then one of each Machine that existed at the beginning. Returns what happened. */
  actAsUser(existing: readonly string[]): readonly string[] {
    const all = this.sets.flatMap(({ name }) => this.#machinesOf(name));
    const stays = all.filter(({ isDeleting }) => !isDeleting).length;
    const isAllowed = stays > Math.max(this.#limits.replicas - this.#mostMissing, 0);
    const first = all.find(({ template }) => template !== this.#current);
    const effects: string[] = [];
    if (isAllowed && first !== undefined && !first.isDeleting) {
      first.isDeleting = true;
      effects.push(`user ✗${first.name}`);
    }
    const gone = this.#machines.filter(({ isDeleting, name }) => isDeleting && existing.includes(name));
    this.#delete(gone, gone.length);
    return [...effects, ...list(gone, names => `${names} gone`)];
  }

  isSettled(): boolean {
    const { replicas } = this.#limits;
    const expected = this.#mode === 'delete' ? `${replicas}/${replicas}/` : `${replicas}/${replicas}/${replicas}`;
    return (
      this.#counters.startsWith(expected) &&
      this.#machines.length === replicas &&
      this.#machines.every(({ template, isUpdating }) => template === this.#current && !isUpdating)
    );
  }

  /** One row: a pass of the MachineDeployment, then one of each MachineSet, then the user. */
  playRow(): string {
    const read = new Map(this.sets.map(set => [set.name, { ...set }]));
    const existing = this.#machines.map(({ name }) => name);
    const { scaled, breaches } = this.reconcile();
    const cells = this.sets.map(({ name }) => {
      const change = scaled.get(name);
      const set = read.get(name);
      const arrow = change === undefined ? '' : ` → ${change.to}`;
      return set === undefined ? `new${arrow}` : `${countsText(set)}${arrow}`;
    });
    const effects = this.sets.flatMap(({ name }) => {
      const [first, ...more] = this.reconcileSet(name);
      return first === undefined ? [] : [/ (?:wait|✓)$/.test(first) ? first : `${name} ${first}`, ...more];
    });
    const ofUser = this.#mode === 'delete' ? this.actAsUser(existing) : [];
    return [...cells, [...breaches, ...effects, ...ofUser].join('; ')].join(' | ').trim();
  }

  endText({ withDeployment = true } = {}): string {
    const sets = this.sets.map(({ name, ...set }) => {
      const machines = this.#machinesOf(name).map(machine => machine.name);
      return `${name} ${countsText(set)} (${machines.join(',') || 'none'})`;
    });
    const [status, available, upToDate] = this.#counters.split('/');
    const ofDeployment = this.#mode === 'delete' ? '' : ` u${upToDate}`;
    const deployment = `md ${status}/${this.#limits.replicas} a${available}${ofDeployment}`;
    return [...(withDeployment ? [deployment] : []), ...sets].join('; ');
  }
}

function countsText({ status, spec, available, upToDate }: Omit<StandSet, 'name'>): string {
  return `${status}/${spec} a${available} u${upToDate}`;
}

function list(machines: readonly StandMachine[], textOf: (names: string) => string): readonly string[] {
  return machines.length === 0 ? [] : [textOf(machines.map(({ name }) => name).join(','))];
}

function byText(a: StandMachine, b: StandMachine): number {
  return a.name < b.name ? -1 : 1;
}
