// How much work values and definitions may cause. Work is counted, never timed, so that the same input ends the same way everywhere.

/** The work allowed for one list of values or definitions was used up. */
export class TooMuchWorkError extends Error {
  override readonly name = 'TooMuchWorkError';

  constructor() {
    super('takes too much work to check: make schemas and values smaller');
  }
}

/** Steps for one list: a look at one instruction of a pattern for one character, or a character compared. About a second. */
export const maxSteps = 50_000_000;

/** What looking at one value by one schema counts as. */
export const stepsPerVisit = 50;

export interface Work {
  /** Throws TooMuchWorkError when more than the allowed work was done. */
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
