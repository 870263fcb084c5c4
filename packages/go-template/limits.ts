// Limits on the work of a template. Work is counted and never timed, so a template always has the same result.
import { bytesPerUnit, WorkLimitError, type WorkMeter } from '@capi-serverless/apimachinery';
import { Dict, List } from './value.ts';

export interface RenderLimits {
  /**
   * The maximum number of visited nodes, iterations and function calls. Each 64 bytes that a function reads or writes
   * are one more step.
   */
  readonly steps: number;
  /** The maximum number of bytes of the rendered text. */
  readonly outputBytes: number;
  /**
   * The maximum size of a value that a function creates: bytes of one text, or 16 bytes per element of a list or map.
   */
  readonly valueBytes: number;
  /** The maximum memory in bytes for all lists and maps that functions create. The memory of texts follows from steps. */
  readonly memoryBytes: number;
  /** The maximum number of nested `template` actions, and of levels of a printed or compared value. */
  readonly depth: number;
  /** The meter is charged for every step, in addition to the limits of one rendering. */
  readonly meter?: WorkMeter;
}

/** The units of a common meter per step. */
export const unitsPerStep = 64;

export const defaultLimits: RenderLimits = {
  steps: 2_000_000,
  outputBytes: 4 * 1024 * 1024,
  valueBytes: 4 * 1024 * 1024,
  memoryBytes: 64 * 1024 * 1024,
  depth: 200,
};

/** The limits of the parser. */
export const parseLimits = {
  /** The maximum number of characters of a template. */
  length: 256 * 1024,
  /** The maximum number of nested blocks and parentheses. */
  depth: 200,
  /** The maximum number of variables in scope at one position. */
  variables: 500,
} as const;

const bytesPerStep = 64;
const bytesPerElement = 16;

/** The memory of lists and maps, measured with Node 24 and rounded up. */
const listBytes = 128;
const dictBytes = 512;
const bytesPerEntry = 96;

/** The error if the template exceeded a limit. The message contains the limit. */
export class LimitError extends Error {
  override readonly name = 'LimitError';

  constructor(what: string) {
    super(`limit exceeded: ${what}`);
  }
}

export function isLimit(error: unknown): error is LimitError | WorkLimitError {
  return error instanceof LimitError || error instanceof WorkLimitError;
}

/** Counts the work of one rendering. Every method throws LimitError before work that would exceed a limit. */
export interface RenderMeter {
  readonly limits: RenderLimits;
  spend(steps: number): void;
  /** Charges only the common meter, for work that takes longer than its steps. */
  work(units: number): void;
  /** Counts the bytes of a text that is read or created. */
  text(bytes: number): void;
  /** Throws LimitError if a value has more bytes than the limit of one value. */
  hold(bytes: number): void;
  /** Counts the elements of a list or map that is read or created. */
  elements(count: number): void;
  /** Counts a value at this depth. */
  visit(depth: number): void;
  /** Counts the memory of a list or map once, without its elements. */
  created(value: unknown): void;
  /** Counts the memory of the values in a JSON text, before they are created. */
  createdFromJson(text: string): void;
}

function memoryOf(value: List | Dict): number {
  return value instanceof List
    ? listBytes + bytesPerElement * value.items.length
    : dictBytes + bytesPerEntry * value.entries.size;
}

/** An upper estimate: signs in texts are counted as well. */
function memoryOfJson(text: string): number {
  let bytes = 0;
  for (let at = 0; at < text.length; at += 1) {
    const sign = text[at];
    bytes += sign === '{' ? dictBytes : sign === '[' ? listBytes : sign === ',' ? bytesPerElement : 0;
    bytes += sign === ':' ? bytesPerEntry : 0;
  }
  return bytes;
}

export function createMeter(limits: RenderLimits): RenderMeter {
  let left = limits.steps;
  const spend = (steps: number): void => {
    left -= steps;
    if (left < 0) {
      throw new LimitError(`more than ${limits.steps} steps`);
    }
    limits.meter?.charge(steps * unitsPerStep);
  };
  let memory = limits.memoryBytes;
  const take = (bytes: number): void => {
    memory -= bytes;
    if (memory < 0) {
      throw new LimitError(`lists and maps of more than ${limits.memoryBytes} bytes`);
    }
    limits.meter?.charge(bytes / bytesPerUnit);
  };
  const counted = new WeakSet<object>();
  const hold = (bytes: number): void => {
    if (bytes > limits.valueBytes) {
      throw new LimitError(`a value of more than ${limits.valueBytes} bytes`);
    }
  };
  return {
    limits,
    spend,
    work: units => limits.meter?.charge(units),
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
    created(value) {
      if ((value instanceof List || value instanceof Dict) && !counted.has(value)) {
        counted.add(value);
        take(memoryOf(value));
      }
    },
    createdFromJson(text) {
      take(memoryOfJson(text));
    },
  };
}
