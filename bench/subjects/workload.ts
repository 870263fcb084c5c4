// Creates objects of one kind at the same time, and measures until the subject is idle.
import type { Intent, Unstructured } from '@capi-serverless/apimachinery';
import { ObjectWatch } from './object-watch.ts';
import type { RequestCounts } from './request-log.ts';
import type { Cpu, RunningSubject } from './running-subject.ts';

export const namespace = 'default';

/** What a section creates and waits for. */
export interface MeasuredWork {
  /** The kind of the measured objects. */
  readonly kind: { readonly apiVersion: string; readonly kind: string };
  /** The phase that ends the measurement of an object. */
  readonly phase: string;
  readonly hasArrived: (object: Unstructured) => boolean;
  /** The objects that exist before the measured object is created. */
  readonly prepared: (name: string) => readonly Intent[];
  readonly created: (name: string) => Intent;
}

export interface Measurement {
  readonly objects: number;
  /** The time per object, from the request that creates it to the event that shows its phase. */
  readonly arrivedMs: readonly number[];
  /** The time from the first request to the last arrival. */
  readonly allMs: number;
  readonly requests: RequestCounts;
  readonly cpu: Cpu;
}

const preparedAtOnce = 20;

/** At the start and the end of each measurement, there are no such objects and the subject is idle. */
export class BenchWorkload {
  readonly #running: RunningSubject;
  readonly #work: MeasuredWork;
  readonly #watch: ObjectWatch;

  constructor(running: RunningSubject, work: MeasuredWork, watch: ObjectWatch) {
    this.#running = running;
    this.#work = work;
    this.#watch = watch;
  }

  static async open(running: RunningSubject, work: MeasuredWork): Promise<BenchWorkload> {
    return new BenchWorkload(running, work, await ObjectWatch.start(running.client, [{ ...work.kind, namespace }]));
  }

  close(): void {
    this.#watch.stop();
  }

  /** Rejects everything that waits. */
  fail(error: Error): void {
    this.#watch.fail(error);
  }

  /** Creates `count` objects at the same time. Their names begin with `prefix`, which must be unique. */
  async measure(prefix: string, count: number): Promise<Measurement> {
    const { client } = this.#running;
    const names = Array.from({ length: count }, (_, index) => `${prefix}-${index}`);
    await inGroups(names, preparedAtOnce, async name => {
      for (const object of this.#work.prepared(name)) {
        await client.create(object);
      }
    });
    const { value, requests, cpu } = await this.#running.measure(() => this.#create(names));
    await this.#remove(names);
    return { objects: count, ...value, requests, cpu };
  }

  async #create(names: readonly string[]): Promise<Pick<Measurement, 'arrivedMs' | 'allMs'>> {
    const { kind, phase } = this.#work;
    const startedAt = performance.now();
    const spans = await this.#all(
      `${names.length} objects of kind ${kind.kind} to be ${phase}`,
      names.map(name => this.#createOne(name)),
    );
    return {
      arrivedMs: spans.map(({ from, to }) => to - from),
      allMs: Math.max(...spans.map(({ to }) => to)) - startedAt,
    };
  }

  async #createOne(name: string): Promise<{ readonly from: number; readonly to: number }> {
    const { kind, hasArrived, created } = this.#work;
    const key = `${kind.kind}/${name}`;
    const arrived = this.#watch.until(objects => {
      const object = objects.get(key);
      return object !== undefined && hasArrived(object);
    });
    const from = performance.now();
    await this.#running.client.create(created(name));
    return { from, to: await arrived };
  }

  /** The deletion of an object deletes those that were prepared for it. */
  async #remove(names: readonly string[]): Promise<void> {
    const { kind } = this.#work;
    await inGroups(names, preparedAtOnce, name => this.#running.client.remove({ ...kind, namespace, name }));
    await this.#all(
      `${names.length} objects of kind ${kind.kind} to be gone`,
      names.map(name => this.#watch.until(objects => !objects.has(`${kind.kind}/${name}`))),
    );
    await this.#running.log.readUntilQuiet();
  }

  #all<T>(what: string, awaited: readonly Promise<T>[]): Promise<readonly T[]> {
    let arrived = 0;
    const counted = awaited.map(async promise => {
      const value = await promise;
      arrived += 1;
      return value;
    });
    return this.#running.within(what, Promise.all(counted), { state: () => `${arrived} so far` });
  }
}

async function inGroups(
  names: readonly string[],
  size: number,
  work: (name: string) => Promise<unknown>,
): Promise<void> {
  for (let from = 0; from < names.length; from += size) {
    await Promise.all(names.slice(from, from + size).map(work));
  }
}
