// A common budget of work. Every engine that processes input of tenants charges it. Work is counted and never timed, so
// the same input always has the same result.

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
}

/** The error if a limit is exceeded. The message contains the limit and the remedy. */
export class WorkLimitError extends Error {
  override readonly name = 'WorkLimitError';

  constructor({ what, units, remedy }: WorkBound) {
    super(`limit exceeded: ${what} take more than ${units} units of work: ${remedy}`);
  }
}

/** Counts work. The work of a part is also charged to the whole. */
export class WorkMeter {
  readonly #bound: WorkBound;
  readonly #whole: WorkMeter | undefined;
  #spent = 0;

  constructor(bound: WorkBound, whole?: WorkMeter) {
    this.#bound = bound;
    this.#whole = whole;
  }

  /** Returns a part with its own limit. */
  part(bound: WorkBound): WorkMeter {
    return new WorkMeter(bound, this);
  }

  /**
   * Charges work before it is done. Throws WorkLimitError if the limit of this meter or of a containing meter is
   * exceeded. After that, every charge throws.
   */
  charge(units: number): void {
    this.#spent += units;
    if (this.#spent > this.#bound.units) {
      throw new WorkLimitError(this.#bound);
    }
    this.#whole?.charge(units);
  }

  get spent(): number {
    return this.#spent;
  }

  /** The number is not negative. */
  get left(): number {
    return Math.max(0, this.#bound.units - this.#spent);
  }
}
