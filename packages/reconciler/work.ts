// The limits of work for the content of one object: its templates, rules and patches, and those of the referenced
// objects. See docs/decisions/0038-one-meter.md.
import type { WorkBound } from '@capi-serverless/apimachinery';

const bound = {
  what: 'the templates, rules, patches and variables of this object',
  remedy: 'use fewer or smaller templates, rules, patches or variables',
};

/** The maximum work of one pass: at most four seconds of one core. */
export const workOfPass: WorkBound = { ...bound, units: 250_000_000 };

/** The maximum work of all passes of one reconcile. Another pass starts only if the work of a whole pass remains. */
export const workOfReconcile: WorkBound = { ...bound, units: 1.2 * workOfPass.units };

/** The memory of a function for which the limits are made. */
const fullMemoryMiB = 512;

/**
 * The share of the limits that a function with this memory has. Lambda gives a function a processor in proportion to its
 * memory, so all shares take the same time. More memory gives no further work: an object that is accepted by one
 * function is accepted by all with at least the full memory.
 * https://docs.aws.amazon.com/lambda/latest/dg/configuration-memory.html
 */
export function workShareOf(memoryMiB: number | undefined): number {
  return memoryMiB === undefined ? 1 : Math.min(1, memoryMiB / fullMemoryMiB);
}

/** Returns the limit for a share of the work. The number of units is whole. */
export function workOfShare(of: WorkBound, share: number): WorkBound {
  return { ...of, units: Math.floor(share * of.units) };
}
