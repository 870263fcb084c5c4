// Writes what a report said, once per pass: one merge patch to /status with the difference that this reconciler owns.
import { type Answer, type ApiFailure, answered } from '../api/answer.ts';
import { isJsonObject } from '../api/json.ts';
import { type Instant, type MergePatch, toRef, type Unstructured } from '../api/object.ts';
import type { Condition, V1Beta1Condition } from '../conditions/condition.ts';
import { mergeConditions, mergeV1Beta1Conditions, type ThreeWay } from '../conditions/three-way.ts';
import type { Kubernetes } from '../kubernetes/port.ts';
import type { Clock } from './clock.ts';
import { mergeDeep, mergeDiff, nest, valueAt } from './merge-diff.ts';
import type { Declaration, StatusChange } from './types.ts';

/** How often a status write that lost a race is tried again on a fresh read, and the pause before the n-th retry. */
const statusTries = 5;
const statusPauseMs = 100;

const defaultV1Beta1Path = 'deprecated.v1beta1.conditions';

export interface StatusContext {
  readonly kubernetes: Pick<Kubernetes, 'get' | 'mergePatch'>;
  readonly declaration: Declaration;
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

export interface StatusWrite {
  /** The object as observe saw it; the report started from its status. */
  readonly observed: Unstructured;
  /** The newest version of it that this pass knows, from the answer of its own write. */
  readonly latest: Unstructured;
  readonly change: StatusChange;
  readonly now: Instant;
}

export interface StatusWritten {
  /** `undefined`: the object is gone, which needs no status. */
  readonly primary: Unstructured | undefined;
  readonly writes: number;
}

/**
 * Writes the reported status where it differs from the observed one. Conditions are merged three-way, so those of other
 * writers survive; the resourceVersion of the version merged onto goes along, and a conflict means a fresh read, 5 tries.
 */
export async function writeStatus(context: StatusContext, write: StatusWrite): Promise<Answer<StatusWritten>> {
  let latest = write.latest;
  let writes = 0;
  let lost: ApiFailure = { reason: 'Conflict', message: '' };
  for (let attempt = 0; attempt < statusTries; attempt += 1) {
    if (attempt > 0) {
      await context.clock.sleep(statusPauseMs * attempt, context.signal);
      const fresh = await context.kubernetes.get(toRef(latest));
      if (!fresh.ok) {
        return fresh.missing ? answered({ primary: undefined, writes }) : fresh;
      }
      if (fresh.value.metadata.uid !== latest.metadata.uid) {
        return answered({ primary: undefined, writes });
      }
      latest = fresh.value;
    }
    const merged = statusPatch(context.declaration, { ...write, latest });
    if (!merged.ok || merged.value === undefined) {
      return merged.ok ? answered({ primary: latest, writes }) : merged;
    }
    writes += 1;
    const answer = await context.kubernetes.mergePatch(
      toRef(latest),
      { status: merged.value },
      {
        subresource: 'status',
        resourceVersion: latest.metadata.resourceVersion,
        fieldManager: context.declaration.fieldManager,
      },
    );
    if (answer.ok || answer.missing) {
      return answered({ primary: answer.ok ? answer.value : undefined, writes });
    }
    if (answer.failure.reason !== 'Conflict') {
      return answer;
    }
    lost = answer.failure;
  }
  return { ok: false, missing: false, failure: lost };
}

/** The body's `status`, or `undefined` when nothing that is owned changed. Not ok: another writer holds a condition we may not touch. */
function statusPatch(declaration: Declaration, write: StatusWrite): Answer<MergePatch | undefined> {
  const before = statusOf(write.observed);
  const after = write.change.status;
  const v1beta1Path = declaration.v1beta1Path ?? defaultV1Beta1Path;
  let patch: MergePatch = {};
  for (const path of declaration.owns.status) {
    const change = mergeDiff(nest(path, valueAt(before, path)), nest(path, valueAt(after, path)));
    patch = mergeDeep(patch, change ?? {});
  }
  const current = threeLists<Condition>(write, 'conditions', declaration.owns.conditions);
  const deprecated = threeLists<V1Beta1Condition>(write, v1beta1Path, declaration.owns.v1beta1);
  for (const { path, list, merged } of [
    { path: 'conditions', list: current.latest, merged: mergeConditions(current) },
    { path: v1beta1Path, list: deprecated.latest, merged: mergeV1Beta1Conditions(deprecated, write.now) },
  ]) {
    if (!merged.ok) {
      return { ok: false, missing: false, failure: { reason: 'Invalid', message: merged.conflict.message } };
    }
    if (merged.list !== list) {
      patch = mergeDeep(patch, nest(path, merged.list));
    }
  }
  return answered(Object.keys(patch).length === 0 ? undefined : patch);
}

function threeLists<C>(write: StatusWrite, path: string, owned: readonly string[]): ThreeWay<C> {
  return {
    before: listAt<C>(statusOf(write.observed), path),
    after: listAt<C>(write.change.status, path),
    latest: listAt<C>(statusOf(write.latest), path),
    owned,
  };
}

/** The API server holds our kinds to their schema, so what is a list here is a list of conditions. */
function listAt<C>(status: unknown, path: string): readonly C[] {
  const value = valueAt(status, path);
  return Array.isArray(value) ? value : [];
}

function statusOf(object: Unstructured): Readonly<Record<string, unknown>> {
  return isJsonObject(object.status) ? object.status : {};
}
