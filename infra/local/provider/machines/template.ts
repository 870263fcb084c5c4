// When Machines made from one template serve for another one: fields that Machines take over while they run do not count.
// https://cluster-api.sigs.k8s.io/tasks/automated-machine-management/scaling
import { isDeepStrictEqual } from 'node:util';
import type { Unstructured } from '../../../../shared/api/object.ts';
import { fieldsAt, textAt } from './read.ts';

const inPlace: ReadonlySet<string> = new Set(['deletion', 'minReadySeconds', 'readinessGates', 'taints']);

export function isSameTemplate(a: Unstructured, b: Unstructured): boolean {
  return isDeepStrictEqual(rolloutTemplate(a), rolloutTemplate(b));
}

/** As text that is the same for the same template. */
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

/** `undefined`: nothing is to be rolled out later. */
export function secondsUntilRollout(object: Unstructured, now: number): number | undefined {
  const after = Date.parse(textAt(object, 'spec.rollout.after'));
  return after > now ? (after - now) / 1000 : undefined;
}

/** Machines that are older are replaced once this time has passed; `undefined`: it has not, or there is none. */
export function rolloutAfter(object: Unstructured, now: number): number | undefined {
  const after = Date.parse(textAt(object, 'spec.rollout.after'));
  return Number.isNaN(after) || after > now ? undefined : after;
}
