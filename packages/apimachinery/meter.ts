// One budget of work, which every engine charges that runs what a tenant wrote. Work is counted, never timed, so the same input
// always ends the same way.

/**
 * What may be spent. A unit is one byte that is read or written, or a small step: at most about ten nanoseconds of one core,
 * whatever the operation. Engines charge more units for slower operations.
 */
export interface WorkBound {
  readonly units: number;
  /** What is bounded: `the templates, rules and patches of one object`. */
  readonly what: string;
  /** What the author can do about it. */
  readonly remedy: string;
}

/** A bound is exceeded. The message names the bound and the remedy. */
export class WorkLimitError extends Error {
  override readonly name = 'WorkLimitError';

  constructor({ what, units, remedy }: WorkBound) {
    super(`limit exceeded: ${what} take more than ${units} units of work: ${remedy}`);
  }
}

/** Counts work. What a part spends, the whole has spent, too. */
export class WorkMeter {
  readonly #bound: WorkBound;
  readonly #whole: WorkMeter | undefined;
  #spent = 0;

  constructor(bound: WorkBound, whole?: WorkMeter) {
    this.#bound = bound;
    this.#whole = whole;
  }

  /** A part with a bound of its own. */
  part(bound: WorkBound): WorkMeter {
    return new WorkMeter(bound, this);
  }

  /**
   * Charges work before it is done. Throws WorkLimitError if this, or what it is a part of, has been spent; every later charge
   * throws, too.
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

  /** Not negative. */
  get left(): number {
    return Math.max(0, this.#bound.units - this.#spent);
  }
}
