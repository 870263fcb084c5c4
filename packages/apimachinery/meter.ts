// A common budget of work. Every engine that processes input of tenants charges it. Work is counted and never timed, so
// the same input always has the same result.

import { jsonSize } from './json-size.ts';

/**
 * The limit. A unit is one byte that is read or written, or a small step of at most about ten nanoseconds on one core.
 * Engines charge more units for slower operations.
 */
export interface WorkBound {
  readonly units: number;
  /** The limited work, for example `the templates, rules and patches of one object`. */
  readonly what: string;
  /** The remedy for the author of the object. */
  readonly remedy: string;
  /** If set, the limit grows with the content that was read, up to `units`. */
  readonly growth?: WorkGrowth;
}

interface WorkGrowth {
  /** The units without any content. */
  readonly base: number;
  /** The further units for each character of the content as JSON. */
  readonly perCharacter: number;
}

/** The bytes of memory that one unit pays for. */
export const bytesPerUnit = 2;

/** The error if a limit is exceeded. The message contains the limit and the remedy. */
export class WorkLimitError extends Error {
  override readonly name = 'WorkLimitError';

  constructor({ what, units, remedy }: WorkBound, characters?: number) {
    const content = characters === undefined ? '' : `, the limit for content of ${characters} characters`;
    super(`limit exceeded: ${what} take more than ${units} units of work${content}: ${remedy}`);
  }
}

/** Counts work. The work of a part is also charged to the whole. */
export class WorkMeter {
  readonly #bound: WorkBound;
  readonly #whole: WorkMeter | undefined;
  #spent = 0;
  /** The units that are allowed by the content that was measured. */
  #allowed: number;
  #characters = 0;
  #unmeasured: unknown[] = [];

  constructor(bound: WorkBound, whole?: WorkMeter) {
    this.#bound = bound;
    this.#whole = whole;
    this.#allowed = Math.min(bound.units, bound.growth?.base ?? bound.units);
  }

  /** Returns a part with its own limit. */
  part(bound: WorkBound): WorkMeter {
    return new WorkMeter(bound, this);
  }

  /**
   * Raises the limit by the size of content that was read, if the limit grows. The content is JSON. It is measured only
   * if the work needs it.
   */
  read(content: unknown): void {
    if (this.#allowed < this.#bound.units) {
      this.#unmeasured.push(content);
    }
  }

  /**
   * Charges work before it is done. Throws WorkLimitError if the limit of this meter or of a containing meter is
   * exceeded. After that, every charge throws.
   */
  charge(units: number): void {
    this.#spent += units;
    if (this.#spent > this.#allowed && !this.reaches(this.#spent)) {
      throw this.#exceeded();
    }
    this.#whole?.charge(units);
  }

  get spent(): number {
    return this.#spent;
  }

  /** The number is not negative. */
  get left(): number {
    this.#measure();
    return Math.max(0, this.#allowed - this.#spent);
  }

  /** Returns whether the limit is at least this number of units. */
  reaches(units: number): boolean {
    if (units > this.#allowed) {
      this.#measure();
    }
    return units <= this.#allowed;
  }

  #measure(): void {
    const { growth, units } = this.#bound;
    if (growth === undefined || this.#unmeasured.length === 0) {
      return;
    }
    this.#characters += this.#unmeasured.reduce<number>((sum, content) => sum + jsonSize(content), 0);
    this.#unmeasured = [];
    this.#allowed = Math.min(units, Math.floor(growth.base + growth.perCharacter * this.#characters));
  }

  #exceeded(): WorkLimitError {
    return this.#allowed < this.#bound.units
      ? new WorkLimitError({ ...this.#bound, units: this.#allowed }, this.#characters)
      : new WorkLimitError(this.#bound);
  }
}
