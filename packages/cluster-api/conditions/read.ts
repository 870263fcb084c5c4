// Reads v1beta2 conditions. Conditions of provider objects are validated. Invalid conditions of core kinds are omitted.

import {
  type Checked,
  invalid,
  isJsonObject,
  type JsonObject,
  mapChecked,
  type Unstructured,
  valid,
} from '@capi-serverless/apimachinery';
import { parseTimestamp } from '@capi-serverless/apimachinery/timestamp';
import { type Condition, type ConditionStatus, noReasonReported, type ReportedCondition } from './condition.ts';

/**
 * Returns all conditions of an object of any kind, validated. One invalid item fails the read. An absent list is empty.
 */
export function readConditions(object: Unstructured): Checked<readonly ReportedCondition[]> {
  const status = isJsonObject(object.status) ? object.status : {};
  const v1beta2 = isJsonObject(status['v1beta2']) ? status['v1beta2'] : {};
  if (Array.isArray(v1beta2['conditions'])) {
    return readList(v1beta2['conditions'], `status.v1beta2.conditions from ${object.kind}`);
  }
  return Array.isArray(status['conditions'])
    ? readList(status['conditions'], `status.conditions from ${object.kind}`)
    : valid([]);
}

/** Returns a stored `status.conditions` list of a kind that the API server validates. Malformed items are omitted. */
export function storedConditions(value: unknown): readonly Condition[] {
  return (Array.isArray(value) ? value : []).filter(isJsonObject).flatMap(fields => {
    const item = readItem(fields);
    return item.ok ? [{ ...item.value, lastTransitionTime: item.value.lastTransitionTime ?? '' }] : [];
  });
}

function readList(list: readonly unknown[], where: string): Checked<readonly ReportedCondition[]> {
  const conditions: ReportedCondition[] = [];
  for (const fields of list.filter(isJsonObject)) {
    const item = readItem(fields);
    if (!item.ok) {
      return invalid(`failed to convert ${where} to []metav1.Condition: ${item.error}`);
    }
    conditions.push(item.value);
  }
  return valid(conditions);
}

function readItem(fields: JsonObject): Checked<ReportedCondition> {
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
  return mapChecked(readTime(fields['lastTransitionTime']), time => ({
    type,
    status,
    ...(Number.isSafeInteger(observedGeneration) ? { observedGeneration: Number(observedGeneration) } : {}),
    ...(time === '' ? {} : { lastTransitionTime: time }),
    reason: textOf(fields['reason']) || noReasonReported,
    message: textOf(fields['message']),
  }));
}

/** Returns "" for an absent time. */
function readTime(value: unknown): Checked<string> {
  if (value === undefined || value === null || value === '') {
    return valid('');
  }
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  const parsed = parseTimestamp(text);
  return parsed.ok ? valid(text) : invalid(`failed to unmarshal lastTransitionTime value: ${text}: ${parsed.error}`);
}

function isStatus(value: unknown): value is ConditionStatus {
  return value === 'True' || value === 'False' || value === 'Unknown';
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
