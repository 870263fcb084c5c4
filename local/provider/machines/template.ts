// Compares the templates of Machines. Fields that Machines update in place are ignored.
// https://cluster-api.sigs.k8s.io/tasks/automated-machine-management/scaling
import { isDeepStrictEqual } from 'node:util';
import type { Unstructured } from '@capi-serverless/apimachinery';
import { fieldsAt, textAt } from './read.ts';

const inPlace: ReadonlySet<string> = new Set(['deletion', 'minReadySeconds', 'readinessGates', 'taints']);

export function isSameTemplate(a: Unstructured, b: Unstructured): boolean {
  return isDeepStrictEqual(rolloutTemplate(a), rolloutTemplate(b));
}

/** Returns a text that is equal for equal templates. */
export function templateText(collection: Unstructured): string {
  return JSON.stringify(rolloutTemplate(collection));
}

function rolloutTemplate(collection: Unstructured): unknown {
  const spec = fieldsAt(collection, 'spec.template.spec');
  return sorted(Object.fromEntries(Object.entries(spec).filter(([field]) => !inPlace.has(field))));
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) {
    return value.map(sorted);
  }
  if (typeof value !== 'object' || value === null) {
    return value;
  }
  const fields = Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(fields.map(([field, inner]) => [field, sorted(inner)]));
}

/** Returns `undefined` if no rollout is scheduled. */
export function secondsUntilRollout(object: Unstructured, now: number): number | undefined {
  const after = Date.parse(textAt(object, 'spec.rollout.after'));
  return after > now ? (after - now) / 1000 : undefined;
}

/** Older Machines are replaced after this time has passed. `undefined` if it has not passed or is not set. */
export function rolloutAfter(object: Unstructured, now: number): number | undefined {
  const after = Date.parse(textAt(object, 'spec.rollout.after'));
  return Number.isNaN(after) || after > now ? undefined : after;
}
