// Plans upgrades of managed topologies in tests: answers the hooks of the plan and records the calls.

import type { AskingPlan } from '@capi-serverless/reconciler';
import type { HookCall, HookQuestion } from '../../functions/topology/plan/questions.ts';
import { type HookState, readHookState, withAnswer } from '../../functions/topology/plan/upgrade/hook-state.ts';
import { type PlannedVersion, planned, type UpgradeSpan } from '../../functions/topology/plan/upgrade/plan-source.ts';
import { planUpgrade } from '../../functions/topology/plan/upgrade/upgrade-plan.ts';
import { readClassSpec } from '../../shared/api/cluster-class/class-spec.ts';
import type { Annotations } from '../../shared/runtime-hooks/rules/annotations.ts';
import type { RetryResponse } from '../../shared/runtime-hooks/rules/hook.ts';
import { answerFrom } from './answered-plan.ts';

export const pendingHooks = 'runtime.cluster.x-k8s.io/pending-hooks';
export const upgradeStep = 'topology.internal.cluster.x-k8s.io/upgrade-step';

/** Returns a Cluster's annotations with these hooks that must still be called. */
export function marked(...hooks: readonly string[]): Annotations {
  return hooks.length === 0 ? {} : { [pendingHooks]: hooks.toSorted().join(',') };
}

export function blockingResponse(message = 'wait', retryAfterSeconds = 5): RetryResponse {
  return { status: 'Success', message, retryAfterSeconds };
}

export const goOn: RetryResponse = { status: 'Success', message: '', retryAfterSeconds: 0 };

interface Played<T> {
  readonly result: T;
  readonly asked: readonly string[];
  readonly calls: readonly HookCall[];
}

/** The named hooks block. All other hooks allow the upgrade. */
export function play<T>(plan: AskingPlan<HookQuestion, T>, blocking: readonly string[] = []): Played<T> {
  const { result, asked } = answerFrom(plan, {
    callHook: ({ hook, hookState }) => {
      const response = blocking.includes(hook.name) ? blockingResponse() : goOn;
      return withAnswer(hookState, hook, { response, waitMs: response.retryAfterSeconds * 1000 });
    },
  });
  const calls = asked.map(({ about }) => about);
  return { result, asked: calls.map(({ hook }) => hook.name), calls };
}

export function aHookState(annotations: Annotations = {}): HookState {
  return readHookState(annotations);
}

/** Throws for an invalid version. */
export function parsed(text: string): PlannedVersion {
  const version = planned(text, 'version');
  if (!version.ok) {
    throw new Error(version.error);
  }
  return version.value;
}

/** `workers` is "" if there are no workers. */
export function aSpan(controlPlane: string, workers: string, target: string): UpgradeSpan {
  return {
    controlPlane: parsed(controlPlane),
    workers: workers === '' ? undefined : parsed(workers),
    target: parsed(target),
  };
}

/** Returns the upgrade plan of a class with these versions, or the error. */
export function planOf(versions: readonly string[], span: UpgradeSpan) {
  const classSpec = readClassSpec({ kubernetesVersions: versions });
  const { result } = answerFrom(planUpgrade({ classSpec, span, topologyVersion: span.target.text, runtimeSdk: true }));
  return result.ok ? result.value : result.error;
}
