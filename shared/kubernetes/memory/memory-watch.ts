// A watch of the memory adapter: an async iterable over the core's watch.

import type { Clock, Unstructured, Watches } from '@capi-serverless/apimachinery';
import { type ApiCore, lastBookmarkMs, type ResourceWatch } from '@capi-serverless/apiserver/core';
import { failureOf } from './memory-failure.ts';
import { type Adapter, type MemoryCall, publishSent, toSummary } from './memory-requests.ts';

type Item = ReturnType<Watches['watch']> extends AsyncIterable<infer T> ? T : never;

interface MemoryWatch {
  readonly adapter: Adapter & { readonly signal: AbortSignal };
  readonly call: MemoryCall;
  /** Throws the core's refusal if the watch cannot start. */
  readonly open: () => ResourceWatch;
  readonly shown: (object: Unstructured) => Unstructured;
  readonly lifetime: Lifetime;
}

interface Lifetime {
  /** Resolves when the server would close the stream. */
  over(signal: AbortSignal): Promise<void>;
  /** Resolves when the last bookmark is due. */
  nearlyOver(signal: AbortSignal): Promise<void>;
}

/** API servers accept a watch before they report that its version is too old. */
const codeOfGone = 200;

/** Ends a watch after `timeoutSeconds`. Without a clock or a timeout, the watch does not end. */
export function endsAfter(clock: Pick<Clock, 'sleep'> | undefined, timeoutSeconds: number | undefined): Lifetime {
  const after = (ms: number, signal: AbortSignal): Promise<void> =>
    clock === undefined || timeoutSeconds === undefined || ms <= 0
      ? new Promise<void>(() => {})
      : clock.sleep(ms, signal);
  const wholeMs = (timeoutSeconds ?? 0) * 1000;
  return {
    over: signal => after(wholeMs, signal),
    nearlyOver: signal => after(wholeMs - lastBookmarkMs, signal),
  };
}

/** Ends without an event if the signal has aborted before the start. */
export async function* watchMemory(watch: MemoryWatch): AsyncGenerator<Item> {
  const { adapter, call, open, shown } = watch;
  const { core, signal } = adapter;
  if (signal.aborted) {
    return;
  }
  const done = publishSent(adapter, call);
  let cursor: ResourceWatch;
  try {
    cursor = open();
  } catch (error) {
    const failure = failureOf(error, toSummary(call));
    done(failure.reason === 'Gone' ? codeOfGone : (failure.code ?? 0));
    yield { type: 'FAILED', failure };
    return;
  }
  const closed = new AbortController();
  const ended = AbortSignal.any([signal, closed.signal]);
  let bookmarkRound = core.bookmarkRound();
  const alarm = createAlarm(core, ended);
  void watch.lifetime.over(ended).then(() => closed.abort(watchOver));
  void watch.lifetime.nearlyOver(ended).then(() => {
    bookmarkRound = -1;
    alarm.ring();
  });
  try {
    while (!ended.aborted) {
      const step = cursor.next();
      if (step === 'ended') {
        return;
      }
      if (step === 'idle' && bookmarkRound < core.bookmarkRound()) {
        bookmarkRound = core.bookmarkRound();
        yield { type: 'BOOKMARK', resourceVersion: cursor.version() };
      } else if (step === 'idle') {
        await alarm.updated();
      } else {
        yield { type: step.type, object: shown(step.object) };
      }
    }
  } finally {
    closed.abort(watchOver);
    alarm.stop();
    done(200);
  }
}

/** An abort without a reason creates an Error with a stack each time. This constant avoids the cost. */
const watchOver = 'the watch is over';

/** Resumes the watch when the core has new events or the watch has ended. */
function createAlarm(core: ApiCore, ended: AbortSignal): { updated(): Promise<void>; ring(): void; stop(): void } {
  let wake = (): void => {};
  const stop = core.onUpdate(() => wake());
  ended.addEventListener('abort', () => wake(), { once: true });
  return {
    updated: () =>
      new Promise(resolve => {
        wake = resolve;
      }),
    ring: () => wake(),
    stop,
  };
}
