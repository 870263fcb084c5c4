// The writes for one object whose name never changes: before and after its comparison with the current object.

import type { Checked, Intent, Unstructured } from '@capi-serverless/apimachinery';
import type { Difference } from '../intent/dry-run.ts';
import { type Path, toIntent } from '../intent/filter.ts';
import { toCreated, toPatched, versionChange } from './change-texts.ts';
import type { Compared } from './comparison.ts';
import { type Compatibility, incompatibility } from './compatible.ts';
import { applyStep, nothingToDo, type Plan, type Step, type Words } from './step.ts';

export interface ObjectChange {
  readonly desired: Intent;
  /** The object that a reference names, or our own object with the chosen name. */
  readonly current: Unstructured | undefined;
  /** The fields that must not change; absent: none can differ. */
  readonly must?: Compatibility;
  readonly ignored?: readonly Path[];
  /** The path of its Kubernetes version, if the event names a version change. */
  readonly versionAt?: string;
  /** A new object may be deleted again. */
  readonly isDisposable?: true;
  /** References the objects that are planned with it. */
  readonly isReferrer?: true;
  /** Default: the wording for any object. */
  readonly created?: (object: Intent) => Words;
  readonly patched?: (object: Unstructured) => Words;
}

/** A change of an existing object that has not been compared yet. */
export interface OpenChange {
  readonly compared: Compared;
  readonly words: Words;
  readonly marks: Pick<Step, 'isReferrer'>;
}

export type StartedChange =
  | { readonly state: 'planned'; readonly plan: Plan }
  | { readonly state: 'compare'; readonly change: OpenChange };

/** A new object is created. An existing one is compared, unless the change is not allowed. */
export function startObject(change: ObjectChange): StartedChange {
  const { desired, current, must, ignored, versionAt, isReferrer, patched } = change;
  if (current === undefined) {
    return { state: 'planned', plan: planCreation(change) };
  }
  const obstacle = must === undefined ? undefined : incompatibility(must, current, desired);
  if (obstacle !== undefined) {
    return { state: 'planned', plan: { steps: [], failure: obstacle } };
  }
  const detail = versionAt === undefined ? '' : versionChange(current, desired, versionAt);
  return {
    state: 'compare',
    change: {
      compared: { intent: toIntent(desired, ignored), current, ...(ignored === undefined ? {} : { ignored }) },
      words: patched?.(current) ?? toPatched(current, detail),
      marks: isReferrer === undefined ? {} : { isReferrer },
    },
  };
}

/** No write without a difference. */
export function finishObject({ compared, words, marks }: OpenChange, difference: Checked<Difference>): Plan {
  if (!difference.ok) {
    return { steps: [], failure: difference.error };
  }
  const { intent, current } = compared;
  return difference.value.changes
    ? { steps: [{ ...applyStep(intent, current.metadata.uid, words), ...marks }] }
    : nothingToDo;
}

export function planCreation({
  desired,
  ignored,
  isDisposable,
  isReferrer,
  created = toCreated,
}: Omit<ObjectChange, 'current'>): Plan {
  const marks = {
    ...(isDisposable === undefined ? {} : { isDisposable }),
    ...(isReferrer === undefined ? {} : { isReferrer }),
  };
  return { steps: [{ ...applyStep(toIntent(desired, ignored), undefined, created(desired)), ...marks }] };
}
