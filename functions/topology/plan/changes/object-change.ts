// The writes for one object whose name never changes, before and after the comparison with the current object.

import { type Checked, type Intent, type Unstructured, withoutUndefined } from '@capi-serverless/apimachinery';
import { toCreated, toPatched, versionChange } from '../change-texts.ts';
import type { DryRunDifference } from '../intent/dry-run.ts';
import { type Path, toIntent } from '../intent/filter.ts';
import type { Compared } from './comparison.ts';
import { type Compatibility, incompatibility } from './compatible.ts';
import { applyStep, nothingToDo, type PlanStep, type TopologyPlan, type Words } from './step.ts';

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

/** The change of an existing object before the comparison. */
interface OpenChange {
  readonly compared: Compared;
  readonly words: Words;
  readonly marks: Pick<PlanStep, 'isReferrer'>;
}

type StartedChange =
  | { readonly state: 'planned'; readonly plan: TopologyPlan }
  | { readonly state: 'compare'; readonly change: OpenChange };

/** Creates a new object. Compares an existing object, unless the change is not allowed. */
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
      compared: { intent: toIntent(desired, ignored), current, ...withoutUndefined({ ignored }) },
      words: patched?.(current) ?? toPatched(current, detail),
      marks: withoutUndefined({ isReferrer }),
    },
  };
}

/** Without a difference, there is no write. */
export function finishObject(
  { compared, words, marks }: OpenChange,
  difference: Checked<DryRunDifference>,
): TopologyPlan {
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
}: Omit<ObjectChange, 'current'>): TopologyPlan {
  const marks = {
    ...withoutUndefined({ isDisposable, isReferrer }),
  };
  return { steps: [{ ...applyStep(toIntent(desired, ignored), undefined, created(desired)), ...marks }] };
}
