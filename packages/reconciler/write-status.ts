// Writes the status of a report once per pass: one merge patch to /status with the changes of owned fields.

import {
  type Answer,
  type ApiFailure,
  answered,
  type Clock,
  type Instant,
  isJsonObject,
  type Kubernetes,
  type MergePatch,
  mergeDeep,
  mergeDiff,
  nest,
  sameJson,
  toRef,
  type Unstructured,
  valueAt,
} from '@capi-serverless/apimachinery';
import {
  type Condition,
  mergeConditions,
  mergeV1Beta1Conditions,
  selectConditions,
  type ThreeWay,
  type V1Beta1Condition,
} from '@capi-serverless/cluster-api/conditions';
import { deprecatedConditionsPath } from './deprecated-conditions.ts';
import type { Declaration, StatusChange } from './types.ts';

/**
 * The number of tries of a status write after conflicts. A fresh read precedes each try. The second value is the delay
 * before retry n.
 */
const statusTries = 5;
const statusPauseMs = 100;

interface StatusContext {
  readonly kubernetes: Pick<Kubernetes, 'get' | 'mergePatch'>;
  readonly declaration: Declaration;
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

interface StatusWrite {
  /** The object that observe read. The report uses its status. */
  readonly observed: Unstructured;
  /** The newest known version of the object, from the response of its own write. */
  readonly latest: Unstructured;
  readonly change: StatusChange;
  readonly now: Instant;
}

interface StatusWritten {
  /** `undefined` if the object is removed and needs no status. */
  readonly primary: Unstructured | undefined;
  readonly writes: number;
  /**
   * Another pass over the object has reported after `observed` was read, so this report may be older and is not written.
   * Another pass must run.
   */
  readonly stale?: ApiFailure;
}

/**
 * Writes the reported status if it differs from the observed one. Conditions are merged three-way, so that conditions
 * of other writers are kept. The patch contains the merged resourceVersion. After a conflict, the object is read again,
 * at most 5 times. A report of another pass that ran at the same time is not replaced: an older one would stay, because
 * its event may enqueue nothing.
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
      const reported = ownedPart(context.declaration, latest);
      if (!sameJson(reported, ownedPart(context.declaration, write.observed))) {
        // The own report, if only its answer was lost.
        const isWritten = sameJson(reported, ownedPart(context.declaration, write.change));
        return answered({ primary: latest, writes, ...(isWritten ? {} : { stale: lost }) });
      }
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

/**
 * Returns the patch of `status`, or `undefined` if no owned field changed. Fails if another writer has changed a
 * condition that is not owned.
 */
function statusPatch(declaration: Declaration, write: StatusWrite): Answer<MergePatch | undefined> {
  const before = statusOf(write.observed);
  const after = write.change.status;
  const v1beta1Path = deprecatedConditionsPath(declaration);
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
      return { ok: false, missing: false, failure: { reason: 'Invalid', message: merged.error.message } };
    }
    if (merged.value !== list) {
      patch = mergeDeep(patch, nest(path, merged.value));
    }
  }
  return answered(Object.keys(patch).length === 0 ? undefined : patch);
}

/** The part of a status that only this reconciler writes. */
function ownedPart(declaration: Declaration, { status }: { readonly status?: unknown }): unknown {
  const { owns } = declaration;
  const { conditions, v1beta1 }: Readonly<Record<string, readonly unknown[]>> = owns;
  return [
    owns.status.map(path => valueAt(status, path) ?? null),
    selectConditions(status, 'conditions', type => conditions.includes(type)),
    selectConditions(status, deprecatedConditionsPath(declaration), type => v1beta1.includes(type)),
  ];
}

function threeLists<C>(write: StatusWrite, path: string, owned: readonly string[]): ThreeWay<C> {
  return {
    before: listAt<C>(statusOf(write.observed), path),
    after: listAt<C>(write.change.status, path),
    latest: listAt<C>(statusOf(write.latest), path),
    owned,
  };
}

/** True: the API server validates these kinds, so a list at this path is a list of conditions. */
function listAt<C>(status: unknown, path: string): readonly C[] {
  const value = valueAt(status, path);
  return Array.isArray(value) ? value : [];
}

function statusOf(object: Unstructured): Readonly<Record<string, unknown>> {
  return isJsonObject(object.status) ? object.status : {};
}
