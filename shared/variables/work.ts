// Limits the work for values and definitions. Work is counted instead of timed, so the result is deterministic.

import { WorkLimitError, type WorkMeter } from '@capi-serverless/apimachinery';

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
export const stepsPerVisit = 100;

export interface Work {
  /** Charges work that is not counted in steps. */
  readonly meter?: WorkMeter | undefined;
  /** Throws TooMuchWorkError if the limit is exceeded. */
  spend(steps: number): void;
}

/** The units of a meter per step. */
export const unitsPerStep = 2;

/** `meter` is charged for all steps, in addition to the limit. `spend` throws WorkLimitError when it is exhausted. */
export function allowWork(steps = maxSteps, meter?: WorkMeter): Work {
  let left = steps;
  return {
    meter,
    spend(more) {
      meter?.charge(more * unitsPerStep);
      left -= more;
      if (left < 0) {
        throw new TooMuchWorkError();
      }
    },
  };
}

/** Returns whether the work ended at its own limit or at that of the meter. */
export function isTooMuchWork(error: unknown): error is TooMuchWorkError | WorkLimitError {
  return error instanceof TooMuchWorkError || error instanceof WorkLimitError;
}
