// Reading v1beta2-family conditions: strictly from objects of providers, leniently from kinds whose schema is ours.
import { type Checked, invalid, mapChecked, valid } from '../api/checked.ts';
import type { Unstructured } from '../api/object.ts';
import type { Condition, ConditionStatus, ReportedCondition } from './condition.ts';
import { noReasonReported } from './condition.ts';
import { getCondition } from './get.ts';
import { parseTimestamp } from './timestamp.ts';

type Fields = Readonly<Record<string, unknown>>;

/** All conditions of an object of any kind, validated. One bad item fails the whole read. No list: no conditions. */
export function readConditions(object: Unstructured): Checked<readonly ReportedCondition[]> {
  const status = isFields(object.status) ? object.status : {};
  const v1beta2 = isFields(status['v1beta2']) ? status['v1beta2'] : {};
  if (Array.isArray(v1beta2['conditions'])) {
    return readList(v1beta2['conditions'], `status.v1beta2.conditions from ${object.kind}`);
  }
  return Array.isArray(status['conditions'])
    ? readList(status['conditions'], `status.conditions from ${object.kind}`)
    : valid([]);
}

/** The condition of that type; `undefined` when the object does not report it. Fails as `readConditions` does. */
export function readCondition(object: Unstructured, type: string): Checked<ReportedCondition | undefined> {
  return mapChecked(readConditions(object), list => getCondition(list, type));
}

/** A stored list (`status.conditions` of a kind whose schema the API server enforces); anything malformed is left out. */
export function storedConditions(value: unknown): readonly Condition[] {
  return (Array.isArray(value) ? value : []).filter(isFields).flatMap(fields => {
    const item = readItem(fields);
    return item.ok ? [{ ...item.value, lastTransitionTime: item.value.lastTransitionTime ?? '' }] : [];
  });
}

function readList(list: readonly unknown[], where: string): Checked<readonly ReportedCondition[]> {
  const conditions: ReportedCondition[] = [];
  for (const fields of list.filter(isFields)) {
    const item = readItem(fields);
    if (!item.ok) {
      return invalid(`failed to convert ${where} to []metav1.Condition: ${item.error}`);
    }
    conditions.push(item.value);
  }
  return valid(conditions);
}

function readItem(fields: Fields): Checked<ReportedCondition> {
  const { type, status, observedGeneration } = fields;
  if (typeof type !== 'string' || type === '') {
    return invalid('type must be set for all conditions');
  }
  if (status === undefined || status === null || status === '') {
    return invalid(`status must be set for the ${type} condition`);
  }
  if (!isStatus(status)) {
    return invalid(`status for the ${type} condition must be one of True, False, Unknown`);
  }
  const time = readTime(fields['lastTransitionTime']);
  if (!time.ok) {
    return time;
  }
  return valid({
    type,
    status,
    ...(Number.isSafeInteger(observedGeneration) ? { observedGeneration: Number(observedGeneration) } : {}),
    ...(time.value === '' ? {} : { lastTransitionTime: time.value }),
    reason: textOf(fields['reason']) || noReasonReported,
    message: textOf(fields['message']),
  });
}

/** "" for none. */
function readTime(value: unknown): Checked<string> {
  if (value === undefined || value === null || value === '') {
    return valid('');
  }
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  const parsed = parseTimestamp(text);
  return parsed.ok ? valid(text) : invalid(`failed to unmarshal lastTransitionTime value: ${text}: ${parsed.error}`);
}

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isStatus(value: unknown): value is ConditionStatus {
  return value === 'True' || value === 'False' || value === 'Unknown';
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
