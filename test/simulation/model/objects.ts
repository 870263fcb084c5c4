// The objects of the model: they change, they get ready without telling anybody, and they can be read.
import type { Instant } from '../../../shared/api/object.ts';
import type { Key } from '../../../shared/workqueue/message.ts';
import type { Random } from '../engine/random.ts';
import type { Scheduler } from '../engine/scheduler.ts';
import type { Journal, ObjectId } from './journal.ts';

/** One change as a source may see it. */
export interface Change {
  readonly object: ObjectId;
  readonly uid: string;
  readonly resourceVersion: string;
}

export const objectCount = 4;
export const reconcilerName = 'widget';
export const managementCluster = 'model';
export const widgetKind = { group: 'model.example.com', version: 'v1', kind: 'Widget', scope: 'Namespaced' } as const;

/** Changes come in this long a time, in bursts as often as alone. */
const activeMs = 60_000;
const changesPerObject = 8;
const burstMs = 1_500;
/** After a change an object is not ready for at most this long, and nothing tells when it is. */
const longestWorkMs = 60_000;

export const keys: readonly Key[] = Array.from({ length: objectCount }, (_, object) => ({
  managementCluster,
  group: widgetKind.group,
  kind: widgetKind.kind,
  namespace: 'default',
  name: `widget-${object}`,
}));

export function toObjectId(key: Key): ObjectId {
  return Number(key.name.slice(key.name.indexOf('-') + 1));
}

interface State {
  readyAt: Instant;
  /** When somebody other than the reconciler changed it last. */
  changedAt: Instant;
  answeredAt: Instant;
}

export class Objects {
  readonly #scheduler: Scheduler;
  readonly #random: Random;
  readonly #journal: Journal;
  readonly #states: State[];
  readonly #watchers: ((change: Change) => void)[] = [];
  #version = 1_000;

  constructor(scheduler: Scheduler, random: Random, journal: Journal) {
    this.#scheduler = scheduler;
    this.#random = random;
    this.#journal = journal;
    const never = Number.NEGATIVE_INFINITY;
    this.#states = keys.map(() => ({ readyAt: never, changedAt: never, answeredAt: never }));
  }

  watch(see: (change: Change) => void): void {
    this.#watchers.push(see);
  }

  /** Plans all changes that others make. */
  plan(): void {
    for (const object of keys.keys()) {
      let at = this.#random.between(0, activeMs / changesPerObject);
      for (let change = 0; change < changesPerObject; change += 1) {
        this.#scheduler.after(at, () => this.#change(object));
        at += this.#random.chance(0.5)
          ? this.#random.between(0, burstMs)
          : this.#random.between(0, (2 * activeMs) / changesPerObject);
      }
    }
  }

  /** What one read tells: whether the object must be looked at again, and whether something is new in it. */
  read(object: ObjectId): { readonly ready: boolean; readonly news: boolean } {
    const { readyAt, changedAt, answeredAt } = this.#stateOf(object);
    return { ready: readyAt <= this.#scheduler.now, news: changedAt > answeredAt };
  }

  /** A reconciler's own write: it is seen like any other. */
  answer(object: ObjectId): void {
    this.#stateOf(object).answeredAt = this.#scheduler.now;
    this.#tell(object, `uid-${object}`);
  }

  #change(object: ObjectId): void {
    const state = this.#stateOf(object);
    state.changedAt = this.#scheduler.now;
    state.readyAt = this.#scheduler.now + (this.#random.chance(0.5) ? 0 : this.#random.between(0, longestWorkMs));
    this.#journal.changed(object, this.#scheduler.now);
    this.#tell(object, this.#random.chance(0.5) ? `uid-${object}` : `uid-${object}-child`);
  }

  #tell(object: ObjectId, uid: string): void {
    this.#version += 1;
    for (const see of this.#watchers) {
      see({ object, uid, resourceVersion: String(this.#version) });
    }
  }

  #stateOf(object: ObjectId): State {
    const state = this.#states[object];
    if (state === undefined) {
      throw new Error(`The model has no object ${object}`);
    }
    return state;
  }
}
