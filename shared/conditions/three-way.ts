// Merging what one reconciler changed in a condition list onto the list as it is now, so that several can share it.
import type { Instant } from '../api/object.ts';
import type { Condition, V1Beta1Condition } from './condition.ts';

/** One list at three moments. */
export interface ThreeWay<C> {
  /** As it was when the object was read. */
  readonly before: readonly C[];
  /** As it is in memory now. */
  readonly after: readonly C[];
  /** As it was freshly read again. */
  readonly latest: readonly C[];
  /** Types that are ours: set and removed whatever the latest list says. */
  readonly owned: readonly string[];
  /** Treats every type as owned. */
  readonly force?: boolean;
}

export interface ConditionConflict {
  readonly type: string;
  readonly operation: 'Add' | 'Change' | 'Remove';
  /** The whole error text. */
  readonly message: string;
}

/** `list` is the very same array as `latest` when there is nothing to write. */
export type Merged<C> =
  | { readonly ok: true; readonly list: readonly C[] }
  | { readonly ok: false; readonly conflict: ConditionConflict };

/** Types that are neither owned nor touched in memory stay as they are in `latest`. */
export function mergeConditions(lists: ThreeWay<Condition>): Merged<Condition> {
  throw new Error(`not written: ${lists}`);
}

/** The same for the deprecated family, where a changed state moves the transition time to `now`. */
export function mergeV1Beta1Conditions(lists: ThreeWay<V1Beta1Condition>, now: Instant): Merged<V1Beta1Condition> {
  throw new Error(`not written: ${lists} ${now}`);
}
