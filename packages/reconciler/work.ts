// The limits of work for the content of one object: its templates, rules and patches, and those of the referenced
// objects. See docs/decisions/0038-one-meter.md.
import type { WorkBound } from '@capi-serverless/apimachinery';

const bound = {
  what: 'the templates, rules, patches and variables of this object',
  remedy: 'use fewer or smaller templates, rules, patches or variables',
};

/** The maximum work of one pass: two to three seconds of one core. */
export const workOfPass: WorkBound = { ...bound, units: 250_000_000 };

/** The maximum work of all passes of one reconcile. Another pass starts only if the work of a whole pass remains. */
export const workOfReconcile: WorkBound = { ...bound, units: 1.2 * workOfPass.units };
