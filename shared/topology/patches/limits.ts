// How much patches may do to the templates of one topology. Counted, never timed, so that the same input ends the same way everywhere.
import { type Checked, invalid, valid } from '../../api/checked.ts';

export interface PatchLimits {
  /** JSON characters of one patched template. etcd stores no larger object. */
  readonly templateSize: number;
  /** Objects and lists inside each other in a patched template. */
  readonly depth: number;
  /** Operations on one template, all patches together. */
  readonly operationsPerTemplate: number;
  /** Operations on all templates. */
  readonly operations: number;
  /** JSON characters that patches make anew for all templates: what is rendered, sent by extensions, or copied. */
  readonly made: number;
  /** JSON values that are looked at or copied for all templates. */
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

/** An operation that does not apply, or goes beyond a limit. The message says what and where in the document. */
export class PatchError extends Error {
  override readonly name = 'PatchError';
}

export function beyond(limit: string): PatchError {
  return new PatchError(`limit exceeded: ${limit}`);
}

/** What the work comes to; a PatchError on the way is an error like any other, and ends with the place where one is given. */
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

/** The same for work that comes to nothing but its effect. */
export function attempt(work: () => void): Checked<undefined> {
  return guarded(() => {
    work();
    return valid(undefined);
  });
}

export interface Measured {
  /** Characters of JSON; escapes and white space do not count. */
  readonly size: number;
  /** Objects and lists inside each other; 0 for a text or a number. */
  readonly depth: number;
}

/** What is left for the templates of one topology. Every method throws PatchError once a limit is passed. */
export class Budget {
  readonly limits: PatchLimits;
  /** Of values that never change: one that goes into many templates is measured once. */
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

  /** `characters` of JSON come into being. */
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
