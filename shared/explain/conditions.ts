// Formats the conditions of objects of any kind for users. Accepts invalid conditions. Pure.

import { isJsonObject, type Unstructured, valueAt } from '@capi-serverless/apimachinery';

export interface ConditionView {
  readonly type: string;
  readonly status: string;
  readonly reason: string;
  readonly message: string;
}

/** The reason why an object waits, and the condition that reports it, if any. */
export interface Wait {
  readonly until: string;
  readonly condition: ConditionView | undefined;
}

/** A condition that an object waits for: the status that ends the wait, and the text of what it waits for. */
export interface AwaitedCondition {
  readonly type: string;
  readonly fine: string;
  /** Default: the type. */
  readonly until?: string;
}

/**
 * Returns the first cause for which a reconciled object with a phase waits, or `undefined` if its conditions show none.
 * `awaited` is in the order in which a user should check them.
 */
export function firstWaitOf(object: Unstructured, awaited: readonly AwaitedCondition[]): Wait | undefined {
  const unfulfilled = firstUnfulfilled(object, awaited);
  const isNew = valueAt(object.status, 'phase') === undefined && conditionOf(object, 'Paused')?.status !== 'True';
  return isNew && unfulfilled === undefined ? { until: 'its first reconcile', condition: undefined } : unfulfilled;
}

/** Returns the first awaited condition that has not its fine status, or `undefined` if there is none. */
export function firstUnfulfilled(object: Unstructured, awaited: readonly AwaitedCondition[]): Wait | undefined {
  for (const { type, fine, until = type } of awaited) {
    const condition = conditionOf(object, type);
    if (condition !== undefined && condition.status !== fine) {
      return { until, condition };
    }
  }
  return undefined;
}

/** Returns `undefined` if the object has no such condition. */
export function conditionOf(object: Unstructured, type: string): ConditionView | undefined {
  return conditionsOf(object).find(condition => condition.type === type);
}

/**
 * Returns the message in one line, or the reason if the message is empty. Joins the items of lists and nested lists.
 */
export function toWhy({ message, reason }: Pick<ConditionView, 'message' | 'reason'>): string {
  const lines = message.split('\n').map(line => line.replace(/^\s*(\* )?/, '').trim());
  const text = lines
    .filter(line => line !== '')
    .reduce((before, line) => `${before}${before.endsWith(':') ? ' ' : '; '}${line}`, '');
  return text.slice(2) || reason;
}

/** Returns type, status, reason and message in one line. */
export function toConditionText({ type, status, reason, message }: ConditionView): string {
  return `${type} is ${status} (${reason})${message === '' ? '' : `: ${toWhy({ message, reason })}`}`;
}

/** Returns the text about what the object waits for, and the reason. */
export function toWaitText({ until, condition }: Wait): string {
  return condition === undefined ? until : `${until}: ${toWhy(condition)}`;
}

/**
 * Returns the conditions of an object of any kind. If an older API version has both forms, the v1beta2 conditions are
 * used.
 */
export function conditionsOf(object: Unstructured): readonly ConditionView[] {
  const newer = valueAt(object.status, 'v1beta2.conditions');
  const list = Array.isArray(newer) ? newer : valueAt(object.status, 'conditions');
  return Array.isArray(list) ? list.filter(isJsonObject).map(toConditionView) : [];
}

function toConditionView(condition: Readonly<Record<string, unknown>>): ConditionView {
  const text = (field: string): string => {
    const value = condition[field];
    return typeof value === 'string' ? value : '';
  };
  return { type: text('type'), status: text('status'), reason: text('reason'), message: text('message') };
}
