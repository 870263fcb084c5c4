// Limits of the work of a template. Work is counted, never timed, so a template ends the same way everywhere.

export interface Limits {
  /** Nodes visited, iterations and function calls. Each 64 bytes that a function reads or writes count as one more. */
  readonly steps: number;
  /** Bytes of the rendered text. */
  readonly outputBytes: number;
  /** Bytes of one text, or 16 bytes per element of one list or map, that a function creates. */
  readonly valueBytes: number;
  /** Nested `template` actions, and levels of a printed or compared value. */
  readonly depth: number;
  /** Shared by several renderings. Absent: each rendering has its own limits. */
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

  /** Throws LimitError when the steps are exhausted. */
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

/** Limits of parsing. */
export const parseLimits = {
  /** Characters of a template. */
  length: 256 * 1024,
  /** Nested blocks and parentheses. */
  depth: 200,
  /** Variables in scope at one position. */
  variables: 500,
} as const;

const bytesPerStep = 64;
const bytesPerElement = 16;

/** The template exceeded a limit; the message names it. */
export class LimitError extends Error {
  override readonly name = 'LimitError';

  constructor(what: string) {
    super(`limit exceeded: ${what}`);
  }
}

/** Counts the work of one rendering. Every method throws LimitError before work that would exceed a limit. */
export interface Meter {
  readonly limits: Limits;
  spend(steps: number): void;
  /** Counts the bytes of a text that is read or created. */
  text(bytes: number): void;
  /** Refuses a value of more bytes than one value may have. */
  hold(bytes: number): void;
  /** Counts the elements of a list or map that is read or created. */
  elements(count: number): void;
  /** Counts a value at this depth. */
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
    hold,
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
