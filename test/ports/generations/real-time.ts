// The real time that requests and deliveries of watches take. Virtual time stops meanwhile, so the load of the machine
// has no effect.
import {
  type Answer,
  type Kubernetes,
  type ObjectRef,
  toRef,
  type Unstructured,
  type Watches,
} from '@capi-serverless/apimachinery';
import { Deliveries } from '../../parity/deliveries.ts';

export class RealTime {
  readonly #deliveries = new Deliveries();
  readonly #running = new Set<Promise<unknown>>();

  /** The deliveries that were not seen after minutes. */
  get problems(): readonly string[] {
    return this.#deliveries.problems;
  }

  get isBusy(): boolean {
    return this.#running.size > 0;
  }

  /** Resolves when everything that runs has ended. */
  async over(): Promise<void> {
    while (this.isBusy) {
      await Promise.allSettled(this.#running);
    }
  }

  /** Returns the same client. Time stops while it works, and after a write until all watches have delivered the write. */
  stopsFor(client: Kubernetes): Kubernetes {
    const writeOne = (of: ObjectRef, send: () => Promise<Answer<Unstructured>>): Promise<Answer<Unstructured>> =>
      this.#write(of, send) as Promise<Answer<Unstructured>>; // true: it is the answer of `send` itself
    return {
      get: ((of: ObjectRef) => this.#hold(client.get(of))) as Kubernetes['get'], // true: the caller parses the object
      list: ((...args: Parameters<Kubernetes['list']>) => this.#hold(client.list(...args))) as Kubernetes['list'], // true: the caller parses the objects
      metadata: of => this.#hold(client.metadata(of)),
      dryRun: { apply: (object, options) => this.#hold(client.dryRun.apply(object, options)) },
      create: (object, options) => writeOne(toRef(object), () => client.create(object, options)),
      mergePatch: (of, body, options) => writeOne(of, () => client.mergePatch(of, body, options)),
      jsonPatch: (of, body, options) => writeOne(of, () => client.jsonPatch(of, body, options)),
      apply: (object, options) => writeOne(toRef(object), () => client.apply(object, options)),
      delete: (of, options) => this.#write(of, () => client.delete(of, options)),
      watches: this.#watches(client.watches),
      within: signal => this.stopsFor(client.within(signal)),
    };
  }

  #watches(watches: Watches): Watches {
    return {
      page: (query, options) => this.#hold(watches.page(query, options)),
      watch: (query, options) => {
        const followed = this.#deliveries.follow(query, options.resourceVersion, watches.watch(query, options));
        void this.#hold(this.#deliveries.until(query));
        return followed;
      },
    };
  }

  #hold<T>(work: Promise<T>): Promise<T> {
    this.#running.add(work);
    const end = (): void => void this.#running.delete(work);
    work.then(end, end);
    return work;
  }

  #write(
    of: ObjectRef,
    send: () => Promise<Answer<Unstructured | undefined>>,
  ): Promise<Answer<Unstructured | undefined>> {
    const removed = this.#deliveries.removalOf(of);
    return this.#hold(
      send().then(async answer => {
        if (answer.ok) {
          await (isRemoved(answer.value) ? removed() : undefined);
          await this.#deliveries.until(of, Number(answer.value?.metadata.resourceVersion ?? 0));
        }
        return answer;
      }),
    );
  }
}

/** Without an object, the server has answered that it is gone. */
function isRemoved(object: Unstructured | undefined): boolean {
  const { deletionTimestamp, finalizers = [] } = object?.metadata ?? { deletionTimestamp: '' };
  return deletionTimestamp !== undefined && finalizers.length === 0;
}
