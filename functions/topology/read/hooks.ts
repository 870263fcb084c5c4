// Asks extensions in the course of a pass, and writes what they say into its book.
import { type Checked, invalid, valid } from '../../../shared/api/checked.ts';
import type { Instant, Unstructured } from '../../../shared/api/object.ts';
import type { Pass, Reads } from '../../../shared/kernel/types.ts';
import { callBlocking } from '../../../shared/runtime-hooks/blocking-call.ts';
import { type HookCalls, hooksOf } from '../../../shared/runtime-hooks/calls.ts';
import type { HooksPort } from '../../../shared/runtime-hooks/port.ts';
import type { Hook, RetryResponse } from '../../../shared/runtime-hooks/rules/hook.ts';
import { type HookBook, withAnswer } from '../../../shared/topology/upgrade/hook-book.ts';
import type { Asking, Question } from '../../../shared/topology/upgrade/question.ts';

/** The extensions as one pass sees them. Where the feature gate RuntimeSDK is off there is none of this. */
export interface TopologyHooks {
  readonly calls: HookCalls;
  /** As extensions are shown it: with the defaults of variables. */
  readonly cluster: Unstructured;
  readonly now: Instant;
}

/** Once per pass: what is read of extensions is read once. */
export function topologyHooks(ask: Reads & HooksPort, pass: Pass, cluster: Unstructured): TopologyHooks {
  return { calls: hooksOf(ask, pass), cluster, now: pass.now };
}

/** The book with the answer; unchanged where no extension serves this hook, save that nothing is remembered of it. */
export async function askHook<Request extends object>(
  { calls, cluster, now }: TopologyHooks,
  hook: Hook<Request, RetryResponse>,
  { request, book }: { readonly request: Request; readonly book: HookBook },
): Promise<Checked<HookBook>> {
  const object = cluster.metadata;
  const verdict = await callBlocking(calls, hook, { object, request, blocks: book.blocks, now });
  if (!verdict.ok) {
    return invalid(verdict.error);
  }
  const { isDefined, response, waitMs, blocks } = verdict.value;
  const kept = { ...book, blocks };
  return valid(isDefined ? withAnswer(kept, hook, { response, waitMs }) : kept);
}

/** `book`: as far as it was written when a call failed. */
export type Answered<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly error: string; readonly book: HookBook };

/** Answers every question, one after the other. Without extensions there must be none. */
export async function answerAll<T>(asking: Asking<T>, hooks: TopologyHooks | undefined): Promise<Answered<T>> {
  let step = asking.next();
  while (step.done !== true) {
    const { book, hook } = step.value;
    const answer =
      hooks === undefined
        ? invalid(`${hook.name} cannot be called: the feature gate RuntimeSDK is off`)
        : await answerOne(step.value, hooks);
    if (!answer.ok) {
      return { ok: false, error: answer.error, book };
    }
    step = asking.next(answer.value);
  }
  return { ok: true, value: step.value };
}

function answerOne(question: Question, hooks: TopologyHooks): Promise<Checked<HookBook>> {
  const { book } = question;
  const { cluster } = hooks;
  switch (question.stage) {
    case 'before':
      return askHook(hooks, question.hook, { request: { cluster, ...question.request }, book });
    case 'after':
      return askHook(hooks, question.hook, { request: { cluster, ...question.request }, book });
  }
}
