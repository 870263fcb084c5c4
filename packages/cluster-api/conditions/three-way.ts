// Three-way merge of one reconciler's changes into the current condition list. Several writers can then use one list.
import { type Checked, type Instant, invalid, valid } from '@capi-serverless/apimachinery';
import type { Condition, V1Beta1Condition } from './condition.ts';
import { hasSameState, hasSameV1Beta1State } from './equality.ts';
import { getCondition } from './get.ts';
import { deleteCondition, placeCondition } from './set.ts';
import { sortConditions } from './sort.ts';
import { setV1Beta1Condition, sortV1Beta1Conditions } from './v1beta1.ts';

/** The condition list at three different times. */
export interface ThreeWay<C> {
  /** The list when the object was read. */
  readonly before: readonly C[];
  /** The changed list in memory. */
  readonly after: readonly C[];
  /** The list after the latest read. */
  readonly latest: readonly C[];
  /** The owned types. They are set and removed regardless of the latest list. */
  readonly owned: readonly string[];
  /** Treats every type as owned. */
  readonly force?: boolean;
}

interface ConditionConflict {
  readonly type: string;
  readonly operation: 'Add' | 'Change' | 'Remove';
  /** The complete error text. */
  readonly message: string;
}

/** The value is the array `latest` itself if no write is necessary. */
export type Merged<C> = Checked<readonly C[], ConditionConflict>;

interface Element {
  readonly type: string;
  readonly status: string;
  readonly lastTransitionTime: string;
  readonly reason?: string;
  readonly message?: string;
}

/** The differences between the two families. */
interface Family<C> {
  readonly hasSameState: (a: C, b: C) => boolean;
  readonly set: (list: readonly C[], condition: C) => readonly C[];
  readonly sort: (list: readonly C[]) => readonly C[];
}

type Operation<C> =
  | { readonly do: 'Add'; readonly after: C }
  | { readonly do: 'Change'; readonly before: C; readonly after: C }
  | { readonly do: 'Remove'; readonly before: C };

/** Types that are neither owned nor changed in memory keep their value in `latest`. */
export function mergeConditions(lists: ThreeWay<Condition>): Merged<Condition> {
  return mergeThreeWay(lists, { hasSameState, set: placeCondition, sort: sortConditions });
}

/** The same for the deprecated family, in which a changed state sets the transition time to `now`. */
export function mergeV1Beta1Conditions(lists: ThreeWay<V1Beta1Condition>, now: Instant): Merged<V1Beta1Condition> {
  return mergeThreeWay(lists, {
    hasSameState: hasSameV1Beta1State,
    set: (list, condition) => setV1Beta1Condition(list, condition, { now }),
    sort: sortV1Beta1Conditions,
  });
}

function mergeThreeWay<C extends Element>(lists: ThreeWay<C>, family: Family<C>): Merged<C> {
  let list = lists.latest;
  for (const operation of operationsOf(lists, family)) {
    const type = (operation.do === 'Remove' ? operation.before : operation.after).type;
    const owned = lists.force === true || lists.owned.includes(type);
    const latest = getCondition(lists.latest, type);
    if (!owned && !isApplicable(operation, latest, family)) {
      return invalid(toConflict(type, operation, latest));
    }
    list = operation.do === 'Remove' ? deleteCondition(list, type) : family.set(list, operation.after);
  }
  return valid(list === lists.latest ? list : family.sort(list));
}

function operationsOf<C extends Element>({ before, after }: ThreeWay<C>, family: Family<C>): readonly Operation<C>[] {
  const set = after.flatMap((condition): readonly Operation<C>[] => {
    const old = getCondition(before, condition.type);
    if (old === undefined) {
      return [{ do: 'Add', after: condition }];
    }
    return isEqual(old, condition, family) ? [] : [{ do: 'Change', before: old, after: condition }];
  });
  const gone = before.filter(condition => getCondition(after, condition.type) === undefined);
  return [...set, ...gone.map((condition): Operation<C> => ({ do: 'Remove', before: condition }))];
}

/**
 * For types that are not owned: returns true if the latest value allows the operation. Setting an equal state is a
 * no-op.
 */
function isApplicable<C extends Element>(operation: Operation<C>, latest: C | undefined, family: Family<C>): boolean {
  switch (operation.do) {
    case 'Add':
      return latest === undefined || family.hasSameState(latest, operation.after);
    case 'Change':
      return (
        latest !== undefined &&
        (isEqual(latest, operation.before, family) || family.hasSameState(latest, operation.after))
      );
    case 'Remove':
      return latest === undefined || family.hasSameState(latest, operation.before);
  }
}

function isEqual<C extends Element>(a: C, b: C, family: Family<C>): boolean {
  return family.hasSameState(a, b) && a.lastTransitionTime === b.lastTransitionTime;
}

function toConflict<C extends Element>(
  type: string,
  operation: Operation<C>,
  latest: C | undefined,
): ConditionConflict {
  const subject = `error patching conditions: The condition "${type}" was`;
  const cause = `by a different process and this caused a merge/${operation.do}Condition conflict`;
  const wanted = operation.do === 'Remove' ? 'none' : toText(operation.after);
  const message =
    latest === undefined
      ? `${subject} deleted ${cause}`
      : `${subject} modified ${cause}: found ${toText(latest)}, wanted ${wanted}`;
  return { type, operation: operation.do, message };
}

function toText({ status, reason = '', message = '' }: Element): string {
  return `${status}/${reason} ${JSON.stringify(message)}`;
}
