// The scheduler of a simulation. It runs steps in the order of their virtual time. No real time passes.
import type { Instant } from '@capi-serverless/apimachinery';

interface Step {
  readonly at: Instant;
  /** Steps with the same time run in the order in which they were planned. */
  readonly order: number;
  readonly owner: StepOwner | undefined;
  readonly run: () => void;
  cancelled: boolean;
}

/** Steps of an owner that has ended are dropped. */
export interface StepOwner {
  readonly alive: boolean;
}

/** The default maximum number of steps. It ends a simulation that does not terminate. */
const defaultMostSteps = 400_000;

class Livelock extends Error {
  override readonly name = 'Livelock';
}

export class Scheduler {
  #now: Instant;
  readonly #heap: Step[] = [];
  /** Work that takes real time, such as cryptography. */
  readonly #held = new Set<Promise<unknown>>();
  readonly #mostSteps: number;
  #planned = 0;
  #steps = 0;

  constructor(start: Instant, mostSteps = defaultMostSteps) {
    this.#now = start;
    this.#mostSteps = mostSteps;
  }

  get now(): Instant {
    return this.#now;
  }

  get steps(): number {
    return this.#steps;
  }

  /** Plans a step in `ms`. Returns a function that cancels it. */
  after(ms: number, run: () => void, owner?: StepOwner): () => void {
    this.#planned += 1;
    const step: Step = { at: this.#now + Math.max(0, ms), order: this.#planned, owner, run, cancelled: false };
    push(this.#heap, step);
    return () => {
      step.cancelled = true;
    };
  }

  /** Virtual time does not advance until this work ends. */
  hold<T>(work: Promise<T>): Promise<T> {
    const ended: Promise<unknown> = Promise.allSettled([work]).then(() => this.#held.delete(ended));
    this.#held.add(ended);
    return work;
  }

  /** Runs steps until `isOver` returns true after one of them, or until none remain. Throws Livelock. */
  async run(isOver: () => boolean): Promise<void> {
    await this.#drained();
    while (!isOver()) {
      const step = pop(this.#heap);
      if (step === undefined) {
        return;
      }
      if (step.cancelled || step.owner?.alive === false) {
        continue;
      }
      this.#now = step.at;
      this.#steps += 1;
      if (this.#steps > this.#mostSteps) {
        throw new Livelock(`The simulation did not settle within ${this.#mostSteps} steps`);
      }
      step.run();
      await this.#drained();
    }
  }

  async #drained(): Promise<void> {
    await drained();
    while (this.#held.size > 0) {
      await Promise.all(this.#held);
      await drained();
    }
  }
}

/**
 * Resolves when no promise chain can proceed without another step: ticks run after all microtasks
 * (https://nodejs.org/api/process.html#when-to-use-queuemicrotask-vs-processnexttick). 20 times cheaper than setImmediate.
 */
function drained(): Promise<void> {
  return new Promise(resolve => process.nextTick(resolve));
}

function isBefore(a: Step, b: Step): boolean {
  return a.at < b.at || (a.at === b.at && a.order < b.order);
}

function push(heap: Step[], step: Step): void {
  let index = heap.length;
  heap.push(step);
  while (index > 0) {
    const above = (index - 1) >> 1;
    const parent = heap[above];
    if (parent === undefined || !isBefore(step, parent)) {
      break;
    }
    heap[index] = parent;
    index = above;
  }
  heap[index] = step;
}

function pop(heap: Step[]): Step | undefined {
  const first = heap[0];
  const last = heap.pop();
  if (first === undefined || last === undefined || heap.length === 0) {
    return first;
  }
  let index = 0;
  for (;;) {
    const child = soonerChild(heap, index);
    const sooner = child === undefined ? undefined : heap[child];
    if (child === undefined || sooner === undefined || !isBefore(sooner, last)) {
      break;
    }
    heap[index] = sooner;
    index = child;
  }
  heap[index] = last;
  return first;
}

function soonerChild(heap: readonly Step[], index: number): number | undefined {
  const left = heap[2 * index + 1];
  const right = heap[2 * index + 2];
  if (left === undefined) {
    return undefined;
  }
  return right !== undefined && isBefore(right, left) ? 2 * index + 2 : 2 * index + 1;
}
