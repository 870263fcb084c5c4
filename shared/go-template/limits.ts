// How much work a template may cause. Work is counted, never timed, so that the same template ends the same way everywhere.

export interface Limits {
  /** Nodes visited, iterations, function calls; every 64 bytes that a function reads or makes count as one more. */
  readonly steps: number;
  /** Bytes of the rendered text. */
  readonly outputBytes: number;
  /** Bytes of one text, or 16 bytes per element of one list or map, that a function makes. */
  readonly valueBytes: number;
  /** `template` actions inside each other, and levels of a value that is printed or compared. */
  readonly depth: number;
  /** Of several renderings together. Absent: each stands for itself. */
  readonly together?: Allowance;
}

/** Steps that several renderings share. */
export class Allowance {
  readonly steps: number;
  #left: number;

  constructor(steps: number) {
    this.steps = steps;
    this.#left = steps;
  }

  /** Throws LimitError once they are used up. */
  spend(steps: number): void {
    this.#left -= steps;
    if (this.#left < 0) {
      throw new LimitError(`more than ${this.steps} steps of all templates together`);
    }
  }
}

export const defaultLimits: Limits = {
  steps: 2_000_000,
  outputBytes: 4 * 1024 * 1024,
  valueBytes: 4 * 1024 * 1024,
  depth: 200,
};

/** What holds before anything is rendered. */
export const parseLimits = {
  /** Characters of a template. */
  length: 256 * 1024,
  /** Blocks and parentheses inside each other. */
  depth: 200,
  /** Variables that are known at one place. */
  variables: 500,
} as const;

const bytesPerStep = 64;
const bytesPerElement = 16;

/** The template asked for more than it may have; the message names the limit. */
export class LimitError extends Error {
  override readonly name = 'LimitError';

  constructor(what: string) {
    super(`limit exceeded: ${what}`);
  }
}

/** Counts the work of one rendering; every method throws LimitError before the work that would pass a limit. */
export interface Meter {
  readonly limits: Limits;
  spend(steps: number): void;
  /** Counts a text of so many bytes that is read or made. */
  text(bytes: number): void;
  /** Counts a list or map of so many elements that is read or made. */
  elements(count: number): void;
  /** Counts a value inside `depth` others. */
  visit(depth: number): void;
}

export function createMeter(limits: Limits): Meter {
  let left = limits.steps;
  const spend = (steps: number): void => {
    left -= steps;
    if (left < 0) {
      throw new LimitError(`more than ${limits.steps} steps`);
    }
    limits.together?.spend(steps);
  };
  const hold = (bytes: number): void => {
    if (bytes > limits.valueBytes) {
      throw new LimitError(`a value of more than ${limits.valueBytes} bytes`);
    }
  };
  return {
    limits,
    spend,
    text(bytes) {
      hold(bytes);
      spend(bytes / bytesPerStep);
    },
    elements(count) {
      hold(count * bytesPerElement);
      spend(count);
    },
    visit(depth) {
      spend(1);
      if (depth > limits.depth) {
        throw new LimitError(`a value of more than ${limits.depth} levels`);
      }
    },
  };
}
