// Lists and watches one kind while the forwarder runs: list, watch, resume, and list again after 410 Gone. Follows the
// design of a client-go reflector.
// https://kubernetes.io/docs/reference/using-api/api-concepts/#efficient-detection-of-changes

import {
  type Answer,
  type ApiFailure,
  type Clock,
  type Instant,
  type Kind,
  pagesOf,
  toApiVersion,
  type WatchEvent,
  type Watches,
  type WatchQuery,
  withoutUndefined,
} from '@capi-serverless/apimachinery';
import { type Log, type SourceEvent, toError, type Watch } from '@capi-serverless/reconciler';
import { lists, silentStreams, sourceFailures } from '../../shared/event-source/source-metrics.ts';
import { toReading } from '../../shared/event-source/watch-set.ts';
import type { Metrics } from '../../shared/kernel/metrics.ts';
import { type GapBounds, growingGapMs } from './growing-gap.ts';
import { startIdleTimeout } from './idle-timeout.ts';

export interface FollowedSource {
  /** The name in logs and counters. */
  readonly name: string;
  readonly as: Watch['as'];
  /** The fields to read with `as: 'object'`, besides metadata. */
  readonly parts?: readonly string[] | undefined;
  /** Returns the kind in the version to watch. Called before every list. */
  locate(): Promise<Answer<Kind>>;
}

/** `missing`: the API server does not serve the kind. */
export type FollowState = 'listing' | 'watching' | 'missing' | 'failing';

export interface FollowOptions {
  readonly watches: Watches;
  readonly clock: Clock;
  readonly log: Log;
  readonly metrics: Metrics;
  /** 'list': the object exists, but its change is unknown. 'event': the watch reported the change. Never throws. */
  readonly see: (event: SourceEvent, cause: 'list' | 'event') => void;
  /** Called after all objects were listed. Changes before the list may have been missed. Never throws. */
  readonly listed: () => void;
  /** The gaps between attempts while the server does not answer. Default: up to 30 s. */
  readonly failureGaps?: GapBounds;
}

const usualGaps = { firstMs: 500, longestMs: 30_000 };

/** The retry interval of a missing kind. Each retry costs one small request. */
const missingKindGapMs = 10_000;

/** The server ends a watch after this time. */
const watchSeconds = 300;

/**
 * Servers send a bookmark about once per minute. If a stream sends nothing for this time, a small list checks whether
 * the server answers. Then the stream is opened again. Both together take less than 90 s.
 */
const silenceMs = 75_000;
const checkMs = 10_000;

/** A stream without events that ends earlier is a failure. Otherwise the loop would have no delay. */
const shortestQuietStreamMs = 5_000;

/** The position at which a watch resumes. */
interface WatchPosition {
  readonly query: WatchQuery;
  readonly resourceVersion: string;
}

/**
 * Reports every existing object once, then every change. After an interruption, it reports objects whose changes may
 * have been missed.
 */
export class Follower {
  readonly #source: FollowedSource;
  readonly #options: FollowOptions;
  readonly #log: Log;
  readonly #failureGaps: GapBounds;
  readonly #begun = Promise.withResolvers<void>();
  #state: FollowState = 'listing';
  #request: 'list' | 'stream' | 'check' = 'list';
  #isListed = false;
  #lastActivityAt: Instant | undefined;
  /** `undefined` means that the next request is a list. */
  #position: WatchPosition | undefined;
  /** The number of consecutive failures. An event on the stream resets it. */
  #failures = 0;

  constructor(source: FollowedSource, options: FollowOptions) {
    this.#source = source;
    this.#options = options;
    this.#log = options.log.with({ source: source.name });
    this.#failureGaps = options.failureGaps ?? usualGaps;
  }

  get state(): FollowState {
    return this.#state;
  }

  /** Returns true if all objects were listed once. */
  get isListed(): boolean {
    return this.#isListed;
  }

  /** Resolves after the first list, even if it failed. */
  get begun(): Promise<void> {
    return this.#begun.promise;
  }

  /** The time of the last data of this kind, or of the last answer that the server does not serve the kind. */
  get lastActivityAt(): Instant | undefined {
    return this.#lastActivityAt;
  }

  /** Resolves after `signal` aborts. Never rejects. Failures are logged, counted and retried. */
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
    const { name: source } = this.#source;
    this.#request = 'list';
    const kind = await this.#source.locate();
    if (!kind.ok) {
      return kind.failure;
    }
    const query = { apiVersion: toApiVersion(kind.value), kind: kind.value.kind, ...toReading(this.#source) };
    let resourceVersion: string | undefined;
    let objects = 0;
    for await (const page of pagesOf(watches, query, signal)) {
      if (!page.ok) {
        return page.failure;
      }
      this.#lastActivityAt = clock.now();
      resourceVersion ??= page.value.resourceVersion;
      objects += page.value.items.length;
      const detail = withoutUndefined({ detail: page.value.detail });
      for (const object of page.value.items) {
        see({ type: 'ADDED', object, ...detail }, 'list');
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

  async #stream(from: WatchPosition, signal: AbortSignal): Promise<ApiFailure | undefined> {
    const { clock } = this.#options;
    this.#request = 'stream';
    const over = new AbortController();
    const idle = startIdleTimeout({ clock, limitMs: silenceMs, over: over.signal });
    const startedAt = clock.now();
    let isQuiet = true;
    const onActivity = (): void => {
      idle.reset();
      isQuiet = false;
    };
    try {
      const failure = await this.#read(from, { signal: AbortSignal.any([signal, idle.expired]), onActivity });
      if (failure !== undefined) {
        return failure;
      }
    } finally {
      over.abort();
    }
    if (idle.expired.aborted) {
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
    { query, resourceVersion: from }: WatchPosition,
    { signal, onActivity }: { readonly signal: AbortSignal; readonly onActivity: () => void },
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
      onActivity();
      resourceVersion = toVersion(event) ?? resourceVersion;
      this.#position = { query, resourceVersion };
      this.#state = 'watching';
      this.#lastActivityAt = clock.now();
      this.#failures = 0;
    }
    return undefined;
  }

  /** After an idle timeout, checks whether the server answers. The position is kept, so no change is skipped. */
  async #check(query: WatchQuery, signal: AbortSignal): Promise<ApiFailure | undefined> {
    const { watches, clock, metrics } = this.#options;
    this.#request = 'check';
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
    this.#lastActivityAt = clock.now();
    this.#failures = 0;
    return undefined;
  }

  /** Returns the delay in milliseconds. If the version or the kind is gone, the next request is a list. */
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
      this.#log.info('Waiting for the API server to serve a kind', { answer: message });
    }
    this.#position = undefined;
    this.#state = 'missing';
    this.#lastActivityAt = this.#options.clock.now();
    return missingKindGapMs;
  }

  #listAgain({ message }: ApiFailure): number {
    this.#log.info('Listing again, because the version to go on from is gone', { answer: message });
    this.#position = undefined;
    this.#state = 'listing';
    this.#failures += 1;
    return this.#failures === 1 ? 0 : growingGapMs(this.#failures - 1, this.#failureGaps);
  }

  /** An API server ends streams, for instance when a CRD changes. So the first failure of a stream is no error. */
  #tryAgain({ reason, message, retryAfterMs: asked = 0 }: ApiFailure): number {
    const isInterruption = this.#request === 'stream' && this.#state === 'watching';
    this.#state = 'failing';
    this.#failures += 1;
    const requestedMs = Math.min(asked, this.#failureGaps.longestMs);
    const retryAfterMs = Math.max(growingGapMs(this.#failures, this.#failureGaps), requestedMs);
    const fields = { reason, retryAfterMs };
    if (isInterruption) {
      this.#log.info('Following a kind was interrupted', { answer: message, ...fields });
    } else {
      this.#log.error('Following a kind failed', new Error(message), fields);
    }
    return retryAfterMs;
  }
}

/** Accepts an object without metadata. An exception here would repeat with every retry. */
function toVersion(event: WatchEvent): string | undefined {
  const version = event.type === 'BOOKMARK' ? event.resourceVersion : event.object?.metadata?.resourceVersion;
  return version === '' ? undefined : version;
}
