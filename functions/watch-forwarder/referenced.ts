// Starts and stops the watches of the provider kinds that the objects of one kind reference.

import type { Answer, Clock, GroupKind } from '@capi-serverless/apimachinery';
import type { SourceEvent } from '@capi-serverless/reconciler';
import { FollowedKinds, type FollowedKindsOptions } from '../../shared/event-source/followed-kinds.ts';

interface ReferencedKindsOptions extends Omit<FollowedKindsOptions, 'known'> {
  readonly clock: Clock;
  /** Follows the kind until `signal` aborts. */
  readonly start: (kind: GroupKind, signal: AbortSignal) => void;
}

/**
 * Lists of the referring objects find unreferenced kinds. They are sent only after deletions, and at most once per this
 * interval.
 */
const tidyEveryMs = 600_000;

export class ReferencedKinds {
  readonly #options: ReferencedKindsOptions;
  readonly #kinds: FollowedKinds;
  /** The controllers that stop each started kind, by `Kind.group`. */
  readonly #started = new Map<string, AbortController>();
  #signal = AbortSignal.abort();

  constructor(options: ReferencedKindsOptions) {
    this.#options = options;
    this.#kinds = new FollowedKinds(options);
  }

  /** Follows the kinds that the object references. Starts nothing before `run` begins or after it ends. */
  see(event: SourceEvent, cause: 'list' | 'event'): void {
    this.#kinds.see(event, cause);
    this.#startAndStop();
  }

  /** Records the answer of `locateProviderKind`. A kind without a definition may give its place to another kind. */
  located(kind: GroupKind, answer: Answer<unknown>): void {
    this.#kinds.located(kind, answer);
    this.#startAndStop();
  }

  /** Periodically stops following unreferenced kinds, until `signal` aborts. */
  async run(signal: AbortSignal): Promise<void> {
    this.#signal = signal;
    while (!signal.aborted) {
      await this.#options.clock.sleep(tidyEveryMs, signal);
      if (!signal.aborted) {
        await this.#kinds.tidy({ isComplete: false, signal });
        this.#startAndStop();
      }
    }
  }

  #startAndStop(): void {
    const { all } = this.#kinds;
    for (const [source, end] of this.#started) {
      if (!all.has(source)) {
        end.abort();
        this.#started.delete(source);
      }
    }
    for (const [source, kind] of all) {
      if (!this.#signal.aborted && !this.#started.has(source)) {
        const end = new AbortController();
        this.#started.set(source, end);
        this.#options.start(kind, AbortSignal.any([this.#signal, end.signal]));
      }
    }
  }
}
