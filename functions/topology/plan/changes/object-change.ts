// The writes for one object whose name never changes.

import { type Intent, type Unstructured, withoutUndefined } from '@capi-serverless/apimachinery';
import type { AskingPlan } from '@capi-serverless/reconciler';
import { toCreated, toPatched, versionChange } from '../change-texts.ts';
import { type Path, toIntent } from '../intent/filter.ts';
import type { DryRunQuestion } from '../questions.ts';
import { findDifference } from './comparison.ts';
import { type Compatibility, incompatibility } from './compatible.ts';
import { applyStep, nothingToDo, type PlannedWrites, type Words } from './step.ts';

export interface ObjectChange {
  readonly desired: Intent;
  /** The referenced object, or the object that this reconciler created with the chosen name. */
  readonly current: Unstructured | undefined;
  /** The check of fields that must not change. Absent if no such field can differ. */
  readonly must?: Compatibility;
  readonly ignored?: readonly Path[];
  /** The path of the Kubernetes version, if the event reports a version change. */
  readonly versionAt?: string;
  /** A new object may be deleted again after a failure. */
  readonly isDisposable?: true;
  /** The object references the objects that are planned with it. */
  readonly isReferrer?: true;
  /** Default: the texts for any object. */
  readonly created?: (object: Intent) => Words;
  readonly patched?: (object: Unstructured) => Words;
}

/** Creates a new object. Applies an existing object if that changes it, unless the change is not allowed. */
export function* planObject(change: ObjectChange): AskingPlan<DryRunQuestion, PlannedWrites> {
  const { desired, current, must, ignored, versionAt, isReferrer, patched } = change;
  if (current === undefined) {
    return planCreation(change);
  }
  const obstacle = must === undefined ? undefined : incompatibility(must, current, desired);
  if (obstacle !== undefined) {
    return { steps: [], failure: obstacle };
  }
  const intent = toIntent(desired, ignored);
  const difference = yield* findDifference({ intent, current, ignored });
  if (!difference.ok) {
    return { steps: [], failure: difference.error };
  }
  if (!difference.value.changes) {
    return nothingToDo;
  }
  const detail = versionAt === undefined ? '' : versionChange(current, desired, versionAt);
  const words = patched?.(current) ?? toPatched(current, detail);
  return { steps: [{ ...applyStep(intent, current.metadata.uid, words), ...withoutUndefined({ isReferrer }) }] };
}

export function planCreation({
  desired,
  ignored,
  isDisposable,
  isReferrer,
  created = toCreated,
}: Omit<ObjectChange, 'current'>): PlannedWrites {
  const marks = withoutUndefined({ isDisposable, isReferrer });
  return { steps: [{ ...applyStep(toIntent(desired, ignored), undefined, created(desired)), ...marks }] };
}
