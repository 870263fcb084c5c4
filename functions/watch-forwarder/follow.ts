// Follows one kind for as long as the forwarder runs: list, watch from there, resume, list again after 410.
// https://kubernetes.io/docs/reference/using-api/api-concepts/#efficient-detection-of-changes
import type { Answer, ApiFailure } from '../../shared/api/answer.ts';
import { type Kind, toApiVersion } from '../../shared/api/object.ts';
import type { Clock } from '../../shared/kernel/clock.ts';
import type { Log } from '../../shared/kernel/log.ts';
import type { Metrics } from '../../shared/kernel/metrics.ts';
import type { SourceEvent, Watch } from '../../shared/kernel/types.ts';
import { pagesOf } from '../../shared/kubernetes/pages.ts';
import type { WatchEvent, Watches, WatchQuery } from '../../shared/kubernetes/port.ts';
import { growingGapMs } from './growing-gap.ts';
import { lists, sourceFailures } from './metrics.ts';

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
}

export interface Follower {
  readonly state: FollowState;
  /** Resolves after `signal` aborts. Never rejects: what fails is logged, counted and tried again. */
  run(signal: AbortSignal): Promise<void>;
}

const failureGaps = { firstMs: 500, longestMs: 30_000 };

/** A kind whose CRD is missing costs one small request each time. */
const missingKindGapMs = 10_000;

/** The server ends a stream after this time, so that a connection that died silently is noticed. */
const watchSeconds = 300;

/** A stream that ended sooner, without showing anything, counts as a failure: otherwise the loop would spin. */
const shortestQuietStreamMs = 5_000;

export function createFollower(source: Source, options: FollowOptions): Follower {
  const { clock, metrics } = options;
  const log = options.log.with({ source: source.name });
  let state: FollowState = 'listing';
  /** Where the stream goes on; `undefined`: list first. */
  let position: { readonly query: WatchQuery; readonly resourceVersion: string } | undefined;
  let failures = 0;

  async function list(signal: AbortSignal): Promise<ApiFailure | undefined> {
    const kind = await source.locate();
    if (!kind.ok) {
      return kind.failure;
    }
    const query = { apiVersion: toApiVersion(kind.value), kind: kind.value.kind, as: source.as };
    let first: string | undefined;
    let objects = 0;
    for await (const page of pagesOf(options.watches, query, signal)) {
      if (!page.ok) {
        return page.failure;
      }
      first ??= page.value.resourceVersion;
      objects += page.value.items.length;
      for (const object of page.value.items) {
        options.see({ type: 'ADDED', object }, 'list');
      }
    }
    position = first === undefined ? undefined : { query, resourceVersion: first };
    state = 'watching';
    metrics.count(lists, { source: source.name });
    log.info('Listing objects, watching from there', { objects, resourceVersion: first });
    return undefined;
  }

  async function stream(from: NonNullable<typeof position>, signal: AbortSignal): Promise<ApiFailure | undefined> {
    const startedAt = clock.now();
    const { query, resourceVersion } = from;
    let isQuiet = true;
    for await (const event of options.watches.watch(query, { resourceVersion, signal, timeoutSeconds: watchSeconds })) {
      if (event.type === 'FAILED') {
        return event.failure;
      }
      if (event.type !== 'BOOKMARK') {
        options.see(event, 'event');
      }
      position = { query, resourceVersion: toVersion(event) ?? position?.resourceVersion ?? resourceVersion };
      isQuiet = false;
      failures = 0;
      state = 'watching';
    }
    if (isQuiet && clock.now() - startedAt < shortestQuietStreamMs) {
      return { reason: 'Unavailable', message: 'The stream ended as soon as it had begun' };
    }
    failures = 0;
    return undefined;
  }

  /** How long to wait. A version that is gone, or a kind that is, sends us back to the list. */
  function onFailure(failure: ApiFailure): number {
    metrics.count(sourceFailures, { source: source.name, reason: failure.reason });
    if (failure.reason === 'NotFound') {
      position = undefined;
      if (state !== 'missing') {
        log.info('Waiting for a kind that the API server does not serve', { answer: failure.message });
      }
      state = 'missing';
      return missingKindGapMs;
    }
    failures += 1;
    if (failure.reason === 'Gone') {
      position = undefined;
      state = 'listing';
      log.info('Listing again, because the version to go on from is gone', { answer: failure.message });
      return failures === 1 ? 0 : growingGapMs(failures - 1, failureGaps);
    }
    state = 'failing';
    const gapMs = growingGapMs(failures, failureGaps);
    const retryAfterMs = Math.max(gapMs, Math.min(failure.retryAfterMs ?? 0, failureGaps.longestMs));
    log.error('Following a kind failed', new Error(failure.message), { reason: failure.reason, retryAfterMs });
    return retryAfterMs;
  }

  async function step(signal: AbortSignal): Promise<ApiFailure | undefined> {
    try {
      return await (position === undefined ? list(signal) : stream(position, signal));
    } catch (thrown) {
      return { reason: 'Unavailable', message: thrown instanceof Error ? thrown.message : String(thrown) };
    }
  }

  return {
    get state() {
      return state;
    },
    async run(signal) {
      while (!signal.aborted) {
        const failure = await step(signal);
        if (failure !== undefined && !signal.aborted) {
          await clock.sleep(onFailure(failure), signal);
        }
      }
    },
  };
}

/** Tolerates an object without metadata: throwing here would meet the same event again and again. */
function toVersion(event: WatchEvent): string | undefined {
  const version = event.type === 'BOOKMARK' ? event.resourceVersion : event.object?.metadata?.resourceVersion;
  return version === '' ? undefined : version;
}
