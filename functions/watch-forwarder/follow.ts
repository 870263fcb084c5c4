// Follows one kind for as long as the forwarder runs: list, watch from there, resume, list again after 410.
// https://kubernetes.io/docs/reference/using-api/api-concepts/#efficient-detection-of-changes

import type { Answer, ApiFailure } from '../../shared/api/answer.ts';
import { type Instant, type Kind, toApiVersion } from '../../shared/api/object.ts';
import { lists, silentStreams, sourceFailures } from '../../shared/event-source/metrics.ts';
import type { Clock } from '../../shared/kernel/clock.ts';
import { toError } from '../../shared/kernel/errors.ts';
import type { Log } from '../../shared/kernel/log.ts';
import type { Metrics } from '../../shared/kernel/metrics.ts';
import type { SourceEvent, Watch } from '../../shared/kernel/types.ts';
import { pagesOf } from '../../shared/kubernetes/pages.ts';
import type { WatchEvent, Watches, WatchQuery } from '../../shared/kubernetes/port.ts';
import { growingGapMs } from './growing-gap.ts';
import { keepVigil } from './silence.ts';

export interface Source {
  /** For logs and counters. */
  readonly name: string;
  readonly as: Watch['as'];
  /** The kind in the version to watch; asked again before every list. */
  locate(): Promise<Answer<Kind>>;
}

/** `missing`: the API server does not serve the kind (yet). */
export type FollowState = 'listing' | 'watching' | 'missing' | 'failing';

export interface FollowOptions {
  readonly watches: Watches;
  readonly clock: Clock;
  readonly log: Log;
  readonly metrics: Metrics;
  /** 'list': the object is there, whatever happened to it; 'event': this very change was seen. Never throws. */
  readonly see: (event: SourceEvent, cause: 'list' | 'event') => void;
  /** Every object was shown, and the time before was not watched. Never throws. */
  readonly listed: () => void;
}

const failureGaps = { firstMs: 500, longestMs: 30_000 };

/** A kind whose CRD is missing costs one small request each time. */
const missingKindGapMs = 10_000;

/** The server ends a stream after this time. */
const watchSeconds = 300;

/**
 * A stream that shows nothing for so long, not even the bookmark that servers send about once a minute, is opened anew
 * behind a small list that tells whether the server is there. Both together take less than 90 s.
 */
const silenceMs = 75_000;
const checkMs = 10_000;

/** A stream that ended sooner, without showing anything, counts as a failure: otherwise the loop would spin. */
const shortestQuietStreamMs = 5_000;

/** Where a stream goes on. */
interface Position {
  readonly query: WatchQuery;
  readonly resourceVersion: string;
}

/** Shows every object that there is once, then every change, and after an interruption whatever may have been missed. */
export class Follower {
  readonly #source: Source;
  readonly #options: FollowOptions;
  readonly #log: Log;
  readonly #begun = Promise.withResolvers<void>();
  #state: FollowState = 'listing';
  #isListed = false;
  #heardAt: Instant | undefined;
  /** `undefined`: list first. */
  #position: Position | undefined;
  /** In a row; a stream that shows something ends the row. */
  #failures = 0;

  constructor(source: Source, options: FollowOptions) {
    this.#source = source;
    this.#options = options;
    this.#log = options.log.with({ source: source.name });
  }

  get state(): FollowState {
    return this.#state;
  }

  /** Whether all its objects were shown once. */
  get isListed(): boolean {
    return this.#isListed;
  }

  /** Resolves after the first try to list, however it ended. */
  get begun(): Promise<void> {
    return this.#begun.promise;
  }

  /** When the server last showed something of this kind, or that it does not serve it. */
  get heardAt(): Instant | undefined {
    return this.#heardAt;
  }

  /** Resolves after `signal` aborts. Never rejects: what fails is logged, counted and tried again. */
  async run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      const failure = await this.#step(signal);
      this.#begun.resolve();
      if (failure !== undefined && !signal.aborted) {
        await this.#options.clock.sleep(this.#gapAfter(failure), signal);
      }
    }
  }

  async #step(signal: AbortSignal): Promise<ApiFailure | undefined> {
    try {
      return await (this.#position === undefined ? this.#list(signal) : this.#stream(this.#position, signal));
    } catch (thrown) {
      return { reason: 'Unavailable', message: toError(thrown).message };
    }
  }

  async #list(signal: AbortSignal): Promise<ApiFailure | undefined> {
    const { watches, metrics, clock, see, listed } = this.#options;
    const { name: source, as } = this.#source;
    const kind = await this.#source.locate();
    if (!kind.ok) {
      return kind.failure;
    }
    const query = { apiVersion: toApiVersion(kind.value), kind: kind.value.kind, as };
    let resourceVersion: string | undefined;
    let objects = 0;
    for await (const page of pagesOf(watches, query, signal)) {
      if (!page.ok) {
        return page.failure;
      }
      this.#heardAt = clock.now();
      resourceVersion ??= page.value.resourceVersion;
      objects += page.value.items.length;
      for (const object of page.value.items) {
        see({ type: 'ADDED', object }, 'list');
      }
    }
    this.#position = resourceVersion === undefined ? undefined : { query, resourceVersion };
    this.#state = 'watching';
    this.#isListed = true;
    metrics.count(lists, { source });
    this.#log.info('Listing objects, watching from there', { objects, resourceVersion });
    listed();
    return undefined;
  }

  async #stream(from: Position, signal: AbortSignal): Promise<ApiFailure | undefined> {
    const { clock } = this.#options;
    const over = new AbortController();
    const vigil = keepVigil({ clock, limitMs: silenceMs, over: over.signal });
    const startedAt = clock.now();
    let isQuiet = true;
    const hear = (): void => {
      vigil.heard();
      isQuiet = false;
    };
    try {
      const failure = await this.#read(from, { signal: AbortSignal.any([signal, vigil.silent]), hear });
      if (failure !== undefined) {
        return failure;
      }
    } finally {
      over.abort();
    }
    if (vigil.silent.aborted) {
      return this.#check(from.query, signal);
    }
    if (isQuiet && clock.now() - startedAt < shortestQuietStreamMs) {
      return { reason: 'Unavailable', message: 'The stream ended as soon as it had begun' };
    }
    this.#failures = 0;
    return undefined;
  }

  /** Reads one stream to its end. */
  async #read(
    { query, resourceVersion: from }: Position,
    { signal, hear }: { readonly signal: AbortSignal; readonly hear: () => void },
  ): Promise<ApiFailure | undefined> {
    const { watches, clock, see } = this.#options;
    let resourceVersion = from;
    for await (const event of watches.watch(query, { resourceVersion, signal, timeoutSeconds: watchSeconds })) {
      if (event.type === 'FAILED') {
        return event.failure;
      }
      if (event.type !== 'BOOKMARK') {
        see(event, 'event');
      }
      hear();
      resourceVersion = toVersion(event) ?? resourceVersion;
      this.#position = { query, resourceVersion };
      this.#state = 'watching';
      this.#heardAt = clock.now();
      this.#failures = 0;
    }
    return undefined;
  }

  /** After silence: asks whether the server is there. Where the stream goes on stays as it is, so nothing is skipped. */
  async #check(query: WatchQuery, signal: AbortSignal): Promise<ApiFailure | undefined> {
    const { watches, clock, metrics } = this.#options;
    metrics.count(silentStreams, { source: this.#source.name });
    const answered = new AbortController();
    const late = new AbortController();
    void clock.sleep(checkMs, answered.signal).then(() => late.abort());
    const page = await watches.page(
      { ...query, as: 'metadata' },
      { limit: 1, signal: AbortSignal.any([signal, late.signal]) },
    );
    answered.abort();
    if (!page.ok) {
      return page.failure;
    }
    this.#state = 'watching';
    this.#heardAt = clock.now();
    this.#failures = 0;
    return undefined;
  }

  /** How long to wait, in ms. A version that is gone, or a kind that is, sends us back to the list. */
  #gapAfter(failure: ApiFailure): number {
    this.#options.metrics.count(sourceFailures, { source: this.#source.name, reason: failure.reason });
    switch (failure.reason) {
      case 'NotFound':
        return this.#waitForKind(failure);
      case 'Gone':
        return this.#listAgain(failure);
      default:
        return this.#tryAgain(failure);
    }
  }

  #waitForKind({ message }: ApiFailure): number {
    if (this.#state !== 'missing') {
      this.#log.info('Waiting for a kind that the API server does not serve', { answer: message });
    }
    this.#position = undefined;
    this.#state = 'missing';
    this.#heardAt = this.#options.clock.now();
    return missingKindGapMs;
  }

  #listAgain({ message }: ApiFailure): number {
    this.#log.info('Listing again, because the version to go on from is gone', { answer: message });
    this.#position = undefined;
    this.#state = 'listing';
    this.#failures += 1;
    return this.#failures === 1 ? 0 : growingGapMs(this.#failures - 1, failureGaps);
  }

  #tryAgain({ reason, message, retryAfterMs: asked = 0 }: ApiFailure): number {
    this.#state = 'failing';
    this.#failures += 1;
    const wished = Math.min(asked, failureGaps.longestMs);
    const retryAfterMs = Math.max(growingGapMs(this.#failures, failureGaps), wished);
    this.#log.error('Following a kind failed', new Error(message), { reason, retryAfterMs });
    return retryAfterMs;
  }
}

/** Tolerates an object without metadata: throwing here would meet the same event again and again. */
function toVersion(event: WatchEvent): string | undefined {
  const version = event.type === 'BOOKMARK' ? event.resourceVersion : event.object?.metadata?.resourceVersion;
  return version === '' ? undefined : version;
}
