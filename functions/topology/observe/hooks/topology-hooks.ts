// Calls extensions during a pass and records their answers in its hook state.

import {
  type Checked,
  type Instant,
  invalid,
  type Reads,
  type Unstructured,
  valid,
} from '@capi-serverless/apimachinery';
import type { Pass } from '@capi-serverless/reconciler';
import { callBlocking } from '../../../../shared/runtime-hooks/blocking-call.ts';
import { type HookCalls, hooksOf } from '../../../../shared/runtime-hooks/calls.ts';
import type { HooksPort } from '../../../../shared/runtime-hooks/port.ts';
import type { Hook, RetryResponse } from '../../../../shared/runtime-hooks/rules/hook.ts';
import { type HookState, withAnswer } from '../../plan/upgrade/hook-state.ts';
import type { HookQuestion, HookQuestions } from '../../plan/upgrade/question.ts';

/** The extensions of one pass. Undefined if the feature gate RuntimeSDK is disabled. */
export interface TopologyHooks {
  readonly calls: HookCalls;
  /** The Cluster as it is sent to extensions, with variable defaults. */
  readonly cluster: Unstructured;
  readonly now: Instant;
}

/** Created once per pass, so that ExtensionConfigs are read once. */
export function topologyHooks(ask: Reads & HooksPort, pass: Pass, cluster: Unstructured): TopologyHooks {
  return { calls: hooksOf(ask, pass), cluster, now: pass.now };
}

/** The hook state with the answer. If no extension implements this hook, only its stored block is removed. */
export async function askHook<Request extends object>(
  { calls, cluster, now }: TopologyHooks,
  hook: Hook<Request, RetryResponse>,
  { request, hookState }: { readonly request: Request; readonly hookState: HookState },
): Promise<Checked<HookState>> {
  const object = cluster.metadata;
  const verdict = await callBlocking(calls, hook, { object, request, blocks: hookState.blocks, now });
  if (!verdict.ok) {
    return invalid(verdict.error);
  }
  const { isDefined, response, waitMs, blocks } = verdict.value;
  const kept = { ...hookState, blocks };
  return valid(isDefined ? withAnswer(kept, hook, { response, waitMs }) : kept);
}

/** `hookState` contains the answers before the failed call. */
type Answered<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly error: string; readonly hookState: HookState };

/** Answers all questions in order. A question without extensions is an error. */
export async function answerAll<T>(asking: HookQuestions<T>, hooks: TopologyHooks | undefined): Promise<Answered<T>> {
  let step = asking.next();
  while (step.done !== true) {
    const { hookState, hook } = step.value;
    const answer =
      hooks === undefined
        ? invalid(`${hook.name} cannot be called: the feature gate RuntimeSDK is off`)
        : await answerOne(step.value, hooks);
    if (!answer.ok) {
      return { ok: false, error: answer.error, hookState };
    }
    step = asking.next(answer.value);
  }
  return { ok: true, value: step.value };
}

function answerOne(question: HookQuestion, hooks: TopologyHooks): Promise<Checked<HookState>> {
  const { hookState } = question;
  const { cluster } = hooks;
  switch (question.stage) {
    case 'before':
      return askHook(hooks, question.hook, { request: { cluster, ...question.request }, hookState });
    case 'after':
      return askHook(hooks, question.hook, { request: { cluster, ...question.request }, hookState });
  }
}
