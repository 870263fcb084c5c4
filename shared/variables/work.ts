// Limits the work that values and definitions may cause. Work is counted instead of timed, so the result is deterministic.

/** The work limit of one list of values or definitions is exceeded. */
export class TooMuchWorkError extends Error {
  override readonly name = 'TooMuchWorkError';

  constructor() {
    super('takes too much work to check: make schemas and values smaller');
  }
}

/** Steps per list. A step is one instruction of a pattern on one character, or one compared character. About a second. */
export const maxSteps = 50_000_000;

/** Steps for validating one value by one schema. */
export const stepsPerVisit = 50;

export interface Work {
  /** Throws TooMuchWorkError if the limit is exceeded. */
  spend(steps: number): void;
}

export function allowWork(steps = maxSteps): Work {
  let left = steps;
  return {
    spend(more) {
      left -= more;
      if (left < 0) {
        throw new TooMuchWorkError();
      }
    },
  };
}
