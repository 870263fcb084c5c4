// Limits the work for values and definitions. Work is counted instead of timed, so the result is deterministic.

/** The error when the work limit of one list of values or definitions is exceeded. */
export class TooMuchWorkError extends Error {
  override readonly name = 'TooMuchWorkError';

  constructor() {
    super('takes too much work to check: make schemas and values smaller');
  }
}

/**
 * The maximum number of steps per list. A step is one instruction of a pattern on one character, or one compared
 * character. The limit is about one second.
 */
export const maxSteps = 50_000_000;

/** The number of steps for the validation of one value by one schema. */
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
