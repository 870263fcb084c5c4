// Stores the result of a run, also while it goes on. A stored fingerprint says that its targets are settled: all messages
// about them were accepted. A run that ends early is therefore continued by the next one.
import { type Instant, type ObjectRef, toDisplayName } from '@capi-serverless/apimachinery';
import { RetryableError } from '@capi-serverless/reconciler';
import {
  isOvertaken,
  type StoredState,
  stateNames,
  toStateRef,
  writeState,
} from '../../shared/event-source/state-config-map.ts';
import type { ResyncOptions } from './options.ts';

/** How often a long run stores its progress. A run that ends early sends the messages of this time again. */
const storeEveryMs = 10_000;

type ProgressOptions = Pick<ResyncOptions, 'kubernetes' | 'clock' | 'stateNamespace' | 'watchFilter'>;

export class RunProgress {
  readonly #options: ProgressOptions;
  readonly #ref: ObjectRef;
  #before: StoredState | undefined;
  #storedAt: Instant;
  #hasStored = false;

  /** `before` is the state that the run has read. If it could not be read, nothing is stored. */
  constructor(options: ProgressOptions, before: StoredState | undefined) {
    this.#options = options;
    this.#ref = toStateRef(stateNames.resync, options);
    this.#before = before;
    this.#storedAt = options.clock.now();
  }

  /** Whether this run has stored a part of its result. */
  get hasStored(): boolean {
    return this.#hasStored;
  }

  /** Stores the data if the last time was long ago. */
  async storeSometimes(toData: () => StoredState['data']): Promise<void> {
    if (this.#options.clock.now() - this.#storedAt >= storeEveryMs) {
      await this.store(toData());
    }
  }

  /** Stores nothing after another run has stored its result. Throws RetryableError if the data cannot be stored. */
  async store(data: StoredState['data']): Promise<void> {
    if (this.#before === undefined) {
      return;
    }
    const written = await writeState(this.#options.kubernetes, this.#ref, { before: this.#before, data });
    if (written.ok) {
      this.#before = { data, resourceVersion: written.value.metadata.resourceVersion };
      this.#storedAt = this.#options.clock.now();
      this.#hasStored = true;
    } else if (isOvertaken(written.failure.reason)) {
      this.#before = undefined;
    } else {
      const name = toDisplayName(this.#ref);
      throw new RetryableError(`Resyncing failed for writing ConfigMap ${name}: ${written.failure.message}`);
    }
  }
}
