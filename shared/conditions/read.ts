// Reading v1beta2-family conditions: strictly from objects of providers, leniently from kinds whose schema is ours.
import type { Checked } from '../api/checked.ts';
import type { Unstructured } from '../api/object.ts';
import type { Condition, ReportedCondition } from './condition.ts';

/** All conditions of an object of any kind, validated. One bad item fails the whole read. No list: no conditions. */
export function readConditions(object: Unstructured): Checked<readonly ReportedCondition[]> {
  throw new Error(`not written: ${object.kind}`);
}

/** The condition of that type; `undefined` when the object does not report it. */
export function readCondition(object: Unstructured, type: string): Checked<ReportedCondition | undefined> {
  throw new Error(`not written: ${object.kind} ${type}`);
}

/** A stored list (`status.conditions` of a kind whose schema the API server enforces); anything malformed is left out. */
export function storedConditions(value: unknown): readonly Condition[] {
  throw new Error(`not written: ${value}`);
}
