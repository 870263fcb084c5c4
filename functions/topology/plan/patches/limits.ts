// Limits on patches of one topology. They are counted, not timed, so that the same input always has the same result.
import { type Checked, invalid, valid } from '@capi-serverless/apimachinery';
import { PatchError } from '@capi-serverless/apimachinery/json-patch';

export interface PatchLimits {
  /** JSON characters of one patched template. etcd stores no larger object. */
  readonly templateSize: number;
  /** Nesting of objects and lists in a patched template. */
  readonly depth: number;
  /** Operations on one template, all patches together. */
  readonly operationsPerTemplate: number;
  /** Operations on all templates. */
  readonly operations: number;
  /** JSON characters that patches create for all templates: rendered, sent by extensions, or copied. */
  readonly made: number;
  /** JSON values that are visited or copied for all templates. */
  readonly work: number;
  /** Steps of all value templates together, for all templates. */
  readonly templateSteps: number;
}

export const defaultPatchLimits: PatchLimits = {
  templateSize: 1.5 * 1024 * 1024,
  depth: 100,
  operationsPerTemplate: 10_000,
  operations: 1_000_000,
  made: 32 * 1024 * 1024,
  work: 5_000_000,
  templateSteps: 50_000_000,
};

export function beyond(limit: string): PatchError {
  return new PatchError(`limit exceeded: ${limit}`);
}

/** The result of the work. A PatchError becomes an error result, with the place if one is given. */
export function guarded<T>(work: () => Checked<T>, place?: string): Checked<T> {
  try {
    return work();
  } catch (error) {
    if (error instanceof PatchError) {
      return invalid(place === undefined ? error.message : `${error.message} (${place})`);
    }
    throw error;
  }
}

/** As `guarded`, for work without a result. */
export function attempt(work: () => void): Checked<undefined> {
  return guarded(() => {
    work();
    return valid(undefined);
  });
}

export interface Measured {
  /** Characters of JSON, without escapes and white space. */
  readonly size: number;
  /** Nesting of objects and lists; 0 for a text or a number. */
  readonly depth: number;
}

/** The remaining budget of the templates of one topology. Every method throws PatchError once a limit is exceeded. */
export class Budget {
  readonly limits: PatchLimits;
  /** Sizes of immutable values: one that many templates share is measured once. */
  readonly known = new WeakMap<object, Measured>();
  #operations = 0;
  #made = 0;
  #work = 0;

  constructor(limits: PatchLimits = defaultPatchLimits) {
    this.limits = limits;
  }

  countOperations(count: number): void {
    this.#operations += count;
    if (this.#operations > this.limits.operations) {
      throw beyond(`more than ${this.limits.operations} operations on all templates`);
    }
  }

  /** `characters` of JSON are created. */
  make(characters: number): void {
    this.#made += characters;
    if (this.#made > this.limits.made) {
      throw beyond(`patches make more than ${this.limits.made} characters for all templates`);
    }
  }

  spend(values: number): void {
    this.#work += values;
    if (this.#work > this.limits.work) {
      throw beyond(`patches need more than ${this.limits.work} steps for all templates`);
    }
  }
}

/** Counts operations on one of the templates. */
export function countOperations(item: { operations: number }, count: number, budget: Budget): void {
  item.operations += count;
  const { operationsPerTemplate } = budget.limits;
  if (item.operations > operationsPerTemplate) {
    throw beyond(`more than ${operationsPerTemplate} operations on one template`);
  }
  budget.countOperations(count);
}
