// A watch of the memory adapter: the cursor of the core as an async iterable.
import type { Unstructured } from '../../../shared/api/object.ts';
import type { Clock } from '../../../shared/kernel/clock.ts';
import type { Watches } from '../../../shared/kubernetes/port.ts';
import type { ApiCore } from './core/api-core.ts';
import { lastBookmarkMs, type Watch } from './core/watch.ts';
import { failureOf } from './memory-failure.ts';
import { type Adapter, type Call, publishSent, toAsked } from './memory-requests.ts';

type Item = ReturnType<Watches['watch']> extends AsyncIterable<infer T> ? T : never;

export interface MemoryWatch {
  readonly adapter: Adapter & { readonly signal: AbortSignal };
  readonly call: Call;
  /** Throws what the core answers when the watch cannot start. */
  readonly open: () => Watch;
  readonly shown: (object: Unstructured) => Unstructured;
  readonly lifetime: Lifetime;
}

export interface Lifetime {
  /** Resolves when the server would close the stream by itself. */
  over(signal: AbortSignal): Promise<void>;
  /** Resolves when the last bookmark is due. */
  nearlyOver(signal: AbortSignal): Promise<void>;
}

/** Real servers accept a watch before they say that its version is too old. */
const codeOfGone = 200;

/** How the server ends a watch after `timeoutSeconds`; never, without a clock or a timeout. */
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

/** Ends without an element when the signal has aborted before the start. */
export async function* watchMemory(watch: MemoryWatch): AsyncGenerator<Item> {
  const { adapter, call, open, shown } = watch;
  const { core, signal } = adapter;
  if (signal.aborted) {
    return;
  }
  const done = publishSent(adapter, call);
  let cursor: Watch;
  try {
    cursor = open();
  } catch (error) {
    const failure = failureOf(error, toAsked(call));
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
        await alarm.news();
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

/** Said where nobody reads it: without a reason each abort makes an error, stack and all. */
const watchOver = 'the watch is over';

/** Wakes the watch when the core has news or the watch is over. */
function createAlarm(core: ApiCore, ended: AbortSignal): { news(): Promise<void>; ring(): void; stop(): void } {
  let wake = (): void => {};
  const stop = core.onNews(() => wake());
  ended.addEventListener('abort', () => wake(), { once: true });
  return {
    news: () =>
      new Promise(resolve => {
        wake = resolve;
      }),
    ring: () => wake(),
    stop,
  };
}
