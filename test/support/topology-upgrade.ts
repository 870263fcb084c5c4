// Plans upgrades of managed topologies in tests: answers the hooks that planning asks, and keeps what was asked.
import type { Annotations } from '../../shared/runtime-hooks/rules/annotations.ts';
import type { RetryResponse } from '../../shared/runtime-hooks/rules/hook.ts';
import { readClassSpec } from '../../shared/topology/model/class-spec.ts';
import { type HookBook, openBook, withAnswer } from '../../shared/topology/upgrade/hook-book.ts';
import { type PlannedVersion, planned, type UpgradeSpan } from '../../shared/topology/upgrade/plan-source.ts';
import type { Asking, Question } from '../../shared/topology/upgrade/question.ts';
import { makePlan, planSource } from '../../shared/topology/upgrade/upgrade-plan.ts';

export const pendingHooks = 'runtime.cluster.x-k8s.io/pending-hooks';
export const upgradeStep = 'topology.internal.cluster.x-k8s.io/upgrade-step';

/** A Cluster's annotations with these hooks still to be called. */
export function marked(...hooks: readonly string[]): Annotations {
  return hooks.length === 0 ? {} : { [pendingHooks]: hooks.toSorted().join(',') };
}

export function blockingResponse(message = 'wait', retryAfterSeconds = 5): RetryResponse {
  return { status: 'Success', message, retryAfterSeconds };
}

export const goOn: RetryResponse = { status: 'Success', message: '', retryAfterSeconds: 0 };

export interface Played<T> {
  readonly result: T;
  readonly asked: readonly string[];
  readonly questions: readonly Question[];
}

/** Hooks that are named block; all others let the upgrade go on. */
export function play<T>(asking: Asking<T>, blocking: readonly string[] = []): Played<T> {
  const questions: Question[] = [];
  let step = asking.next();
  while (step.done !== true) {
    const { hook, book } = step.value;
    questions.push(step.value);
    const response = blocking.includes(hook.name) ? blockingResponse() : goOn;
    step = asking.next(withAnswer(book, hook, { response, waitMs: response.retryAfterSeconds * 1000 }));
  }
  return { result: step.value, asked: questions.map(({ hook }) => hook.name), questions };
}

export function aBook(annotations: Annotations = {}): HookBook {
  return openBook(annotations);
}

/** Throws for what is no version. */
export function parsed(text: string): PlannedVersion {
  const version = planned(text, 'version');
  if (!version.ok) {
    throw new Error(version.error);
  }
  return version.value;
}

/** `workers`: "" for none. */
export function aSpan(controlPlane: string, workers: string, target: string): UpgradeSpan {
  return {
    controlPlane: parsed(controlPlane),
    workers: workers === '' ? undefined : parsed(workers),
    target: parsed(target),
  };
}

/** What a class with these versions plans; the error, or who else plans. */
export function planOf(versions: readonly string[], span: UpgradeSpan) {
  const source = planSource(readClassSpec({ kubernetesVersions: versions }), span);
  if (source.from === 'nowhere' || source.from === 'extension') {
    return source.from;
  }
  const plan = makePlan(source, span);
  return plan.ok ? plan.value : plan.error;
}
