// One object on a server and the reconciler under test. Runs one pass at a time and steps the clock.
import {
  type Answer,
  type Clock,
  type Instant,
  type Kubernetes,
  type MergePatch,
  type ObjectRef,
  toDisplayName,
  type Unstructured,
} from '@capi-serverless/apimachinery';
import type { Log, Reconciler } from '@capi-serverless/reconciler';
import { type PassEnd, runPass } from '@capi-serverless/reconciler/runner';
import type { ConformanceStep } from './setup.ts';

export interface Life {
  readonly ref: ObjectRef;
  /** Returns `undefined` if the object does not exist. */
  find(): Promise<Unstructured | undefined>;
  read(ref: ObjectRef): Promise<Unstructured>;
  /** Patches the object, or another one by reference. Throws if the patch is refused. */
  patch(body: MergePatch, ref?: ObjectRef): Promise<void>;
  take(step: ConformanceStep): Promise<void>;
  remove(ref: ObjectRef): Promise<void>;
  /**
   * Runs one pass with this client, then steps the clock by the requested delay. Returns `undefined` if the object does
   * not exist.
   */
  pass(kubernetes?: Kubernetes): Promise<PassEnd | undefined>;
  /**
   * Runs passes until `isThere` is true for several of them. It receives the last result. Throws if it does not become
   * true.
   */
  settle(isThere: IsThere, pass?: () => Promise<unknown>): Promise<void>;
  settleGone(pass?: () => Promise<unknown>): Promise<void>;
}

type IsThere = (object: Unstructured | undefined, last: unknown) => boolean;

/** The maximum number of passes. A reconciler with more passes is considered to hang. */
const mostPasses = 200;
const steadyPasses = 3;
/** The maximum delay. Longer waits would test nothing more, because the backoff of errors belongs to the queue. */
const errorDelayMs = 1_000;

const silentLog: Log = { debug() {}, info() {}, error() {}, with: () => silentLog };

interface LifeOptions {
  readonly reconciler: Reconciler<object, object>;
  readonly kubernetes: Kubernetes;
  readonly ref: ObjectRef;
  readonly now: Instant;
}

export function createLife({ reconciler, kubernetes, ref, now }: LifeOptions): Life {
  const clock = createClock(now);
  const find = async (): Promise<Unstructured | undefined> => {
    const answer = await kubernetes.get(ref);
    return !answer.ok && answer.missing
      ? undefined
      : valueOfAnswer(answer, `Reading ${ref.kind} ${toDisplayName(ref)}`);
  };
  const pass: Life['pass'] = async (client = kubernetes) => {
    const primary = await find();
    if (primary === undefined) {
      return undefined;
    }
    const signal = new AbortController().signal;
    const context = { reconciler, kubernetes: client, ports: {}, clock, signal, log: silentLog };
    const end = await runPass<object, object>(context, primary, 1);
    clock.advance(delayOf(end));
    return end;
  };
  const patch: Life['patch'] = async (body, of = ref) => {
    valueOfAnswer(await kubernetes.mergePatch(of, body), `Patching ${of.kind} ${toDisplayName(of)}`);
  };
  const settle: Life['settle'] = async (isThere, step = pass) => {
    let quiet = 0;
    let last: unknown;
    for (let count = 0; count < mostPasses; count += 1) {
      const before = await find();
      if (isThere(before, last)) {
        quiet += 1;
        if (before === undefined || quiet > steadyPasses) {
          return;
        }
      } else {
        quiet = 0;
      }
      last = await step();
    }
    throw new Error(`The provider did not settle in ${mostPasses} passes: ${describeEnd(last, await find())}`);
  };
  return {
    ref,
    find,
    read: async of => valueOfAnswer(await kubernetes.get(of), `Reading ${of.kind} ${toDisplayName(of)}`),
    patch,
    take: step => (typeof step === 'function' ? step(ref.name) : patch(step)),
    async remove(of) {
      valueOfAnswer(await kubernetes.delete(of), `Deleting ${of.kind} ${toDisplayName(of)}`);
    },
    pass,
    settle,
    settleGone: step => settle(object => object === undefined, step),
  };
}

function delayOf(end: PassEnd): number {
  if (end.kind !== 'reported') {
    return 0;
  }
  switch (end.result.kind) {
    case 'requeueAfter':
      return end.result.ms;
    case 'failed':
      return errorDelayMs;
    case 'done':
    case 'again':
      return 0;
  }
}

function describeEnd(last: unknown, object: Unstructured | undefined): string {
  const { finalizers = [], deletionTimestamp } = object?.metadata ?? {};
  return `${toEnd(last)}the object is ${JSON.stringify({ finalizers, deletionTimestamp, status: object?.status })}`;
}

function toEnd(last: unknown): string {
  const result = typeof last === 'object' && last !== null && 'result' in last ? last.result : undefined;
  const failed = typeof result === 'object' && result !== null && 'error' in result ? result.error : undefined;
  return failed instanceof Error ? `the last pass failed (${failed.message}); ` : '';
}

export function valueOfAnswer<T>(answer: Answer<T>, what: string): T {
  if (!answer.ok) {
    throw new Error(`${what} failed: ${answer.failure.message}`);
  }
  return answer.value;
}

/** Deletes these objects and removes their finalizers. */
export async function clear(kubernetes: Kubernetes, refs: readonly ObjectRef[]): Promise<void> {
  for (const of of refs) {
    // Deleted objects return NotFound.
    await kubernetes.mergePatch(of, { metadata: { finalizers: null } });
    await kubernetes.delete(of);
  }
}

function createClock(start: number): Clock & { advance(ms: number): void } {
  let now = start;
  return {
    now: () => now,
    async sleep(ms) {
      now += ms;
    },
    advance(ms) {
      now += ms;
    },
  };
}
