// Limits on patches of one topology. They count work instead of time, so that the same input always has the same
// result.
import { type Checked, invalid, valid, WorkLimitError, WorkMeter } from '@capi-serverless/apimachinery';
import { PatchError } from '@capi-serverless/apimachinery/json-patch';
import { workOfPass } from '@capi-serverless/reconciler';

export interface PatchLimits {
  /** The maximum JSON characters of one patched template. etcd stores no larger object. */
  readonly templateSize: number;
  /** The maximum nesting of objects and lists in a patched template. */
  readonly depth: number;
  /** The maximum number of operations on one template, for all patches together. */
  readonly operationsPerTemplate: number;
  /** The maximum number of operations on all templates. */
  readonly operations: number;
  /** The maximum JSON characters that patches create for all templates: rendered, sent by extensions, or copied. */
  readonly made: number;
  /** The maximum number of JSON values that are visited or copied for all templates. */
  readonly work: number;
}

export const defaultPatchLimits: PatchLimits = {
  templateSize: 1.5 * 1024 * 1024,
  depth: 100,
  operationsPerTemplate: 10_000,
  operations: 1_000_000,
  made: 32 * 1024 * 1024,
  work: 5_000_000,
};

export function beyond(limit: string): PatchError {
  return new PatchError(`limit exceeded: ${limit}`);
}

/** Returns the result of the work. Converts a PatchError or WorkLimitError to an error result, with the place if one is given. */
export function guarded<T>(work: () => Checked<T>, place?: string): Checked<T> {
  try {
    return work();
  } catch (error) {
    if (error instanceof PatchError || error instanceof WorkLimitError) {
      return invalid(place === undefined ? error.message : `${error.message} (${place})`);
    }
    throw error;
  }
}

/** Like `guarded`, for work without a result. */
export function attempt(work: () => void): Checked<undefined> {
  return guarded(() => {
    work();
    return valid(undefined);
  });
}

export interface Measured {
  /** The number of JSON characters, without escapes and white space. */
  readonly size: number;
  /** The nesting of objects and lists. It is 0 for a text or a number. */
  readonly depth: number;
}

/** The units of the meter for one JSON value and for one operation. */
const unitsPerValue = 10;
const unitsPerOperation = 200;

/**
 * The remaining budget of the templates of one topology. Every method throws PatchError after a limit is exceeded, and
 * WorkLimitError after the meter is exhausted.
 */
export class PatchBudget {
  readonly limits: PatchLimits;
  /** Charged for all work, in addition to the limits. */
  readonly meter: WorkMeter;
  /** The cached sizes of immutable values. A value that many templates share is measured once. */
  readonly known = new WeakMap<object, Measured>();
  #operations = 0;
  #made = 0;
  #work = 0;

  constructor(limits: PatchLimits = defaultPatchLimits, meter: WorkMeter = new WorkMeter(workOfPass)) {
    this.limits = limits;
    this.meter = meter;
  }

  countOperations(count: number): void {
    this.meter.charge(count * unitsPerOperation);
    this.#operations += count;
    if (this.#operations > this.limits.operations) {
      throw beyond(`more than ${this.limits.operations} operations on all templates`);
    }
  }

  /** Charges `characters` of created JSON. */
  make(characters: number): void {
    this.meter.charge(characters);
    this.#made += characters;
    if (this.#made > this.limits.made) {
      throw beyond(`patches make more than ${this.limits.made} characters for all templates`);
    }
  }

  spend(values: number): void {
    this.meter.charge(values * unitsPerValue);
    this.#work += values;
    if (this.#work > this.limits.work) {
      throw beyond(`patches need more than ${this.limits.work} steps for all templates`);
    }
  }
}

/** Counts operations on one of the templates. */
export function countOperations(item: { operations: number }, count: number, budget: PatchBudget): void {
  item.operations += count;
  const { operationsPerTemplate } = budget.limits;
  if (item.operations > operationsPerTemplate) {
    throw beyond(`more than ${operationsPerTemplate} operations on one template`);
  }
  budget.countOperations(count);
}
