// Calls extensions during a pass, and answers the plans that ask for their responses.

import { type Instant, invalid, type Reads, type Unstructured, valid } from '@capi-serverless/apimachinery';
import { type AnswersTo, answerQuestions, type Pass, PlanEnd } from '@capi-serverless/reconciler';
import type { Cluster } from '../../../../shared/api/cluster/reader.ts';
import { callBlocking } from '../../../../shared/runtime-hooks/blocking-call.ts';
import { type HookCalls, hooksOf } from '../../../../shared/runtime-hooks/calls.ts';
import type { HooksPort } from '../../../../shared/runtime-hooks/port.ts';
import type { HookQuestion } from '../../plan/questions.ts';
import { type HookState, withAnswer } from '../../plan/upgrade/hook-state.ts';
import {
  type AfterHooks,
  type AfterHooksInput,
  approveCreation,
  approveDeletion,
  approvedDeletion,
  callAfterHooks,
} from '../../plan/upgrade/life-hooks.ts';

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

/** `hookState` contains the answers before the failed call. */
interface FailedCall {
  readonly error: string;
  readonly hookState: HookState;
}

/**
 * Adds the response to the hook state. If no extension implements the hook, only its stored block is removed. A failed call
 * ends the plan with the result of `endAfter`. A plan must not call a hook if the feature gate RuntimeSDK is disabled.
 */
export function hookAnswers<End>(
  hooks: TopologyHooks | undefined,
  endAfter: (failed: FailedCall) => End,
): AnswersTo<HookQuestion, End> {
  return {
    callHook: async ({ hook, request, hookState }) => {
      if (hooks === undefined) {
        const error = `${hook.name} cannot be called: the feature gate RuntimeSDK is off`;
        return new PlanEnd(endAfter({ error, hookState }));
      }
      const { calls, cluster, now } = hooks;
      const call = { object: cluster.metadata, request: { cluster, ...request }, blocks: hookState.blocks, now };
      const verdict = await callBlocking(calls, hook, call);
      if (!verdict.ok) {
        return new PlanEnd(endAfter({ error: verdict.error, hookState }));
      }
      const { isDefined, response, waitMs, blocks } = verdict.value;
      const kept = { ...hookState, blocks };
      return isDefined ? withAnswer(kept, hook, { response, waitMs }) : kept;
    },
  };
}

export async function askBeforeCreation(cluster: Cluster, hookState: HookState, hooks: TopologyHooks | undefined) {
  return hooks === undefined
    ? valid({ hookState, waitMs: undefined })
    : answerQuestions(
        approveCreation(cluster, hookState),
        hookAnswers(hooks, ({ error }) => invalid(error)),
      );
}

/** Does nothing if the Cluster has no hooks. */
export async function askBeforeDeletion(cluster: Cluster, hooks: TopologyHooks | undefined) {
  return hooks === undefined
    ? valid(approvedDeletion)
    : answerQuestions(
        approveDeletion(cluster),
        hookAnswers(hooks, ({ error }) => invalid(error)),
      );
}

/** Must be called after the whole desired state is computed, and before any write. */
export async function askAfterHooks(input: AfterHooksInput, hooks: TopologyHooks | undefined): Promise<AfterHooks> {
  if (hooks === undefined) {
    return { hookState: input.hookState, failure: undefined };
  }
  const { calls, cluster } = hooks;
  return answerQuestions(callAfterHooks(input), {
    ...hookAnswers(hooks, ({ error, hookState }) => ({ hookState, failure: error })),
    notify: hook => calls.callAll(hook, { object: cluster.metadata, request: { cluster } }),
  });
}
