// Spends the whole limit of a small object with one row of the table of work, and measures the processor time and the
// memory that stays in use. An object of this size can make texts of any size, so rows run with small and large ones.
import { WorkLimitError, WorkMeter } from '@capi-serverless/apimachinery';
import { growingWorkOfPass } from '../../packages/reconciler/work.ts';
import type { UnitCase } from '../../test/support/work-units/unit-case.ts';

/** The characters of a small object, as in docs/decisions/0075-small-objects.md. */
const smallCharacters = 1024;
/** The memory is measured each time that this part of the limit is spent. */
const samplesOfLimit = 8;
/** A row ends after this processor time. The time for the rest of its limit is computed. */
const mostSecondsOfRow = 3;

type Run = (meter: WorkMeter) => string | undefined;

/** Has the limit of a small object. Calls back at equal distances, in the middle of the work. */
class SampledMeter extends WorkMeter {
  readonly #sample: () => void;
  readonly #step: number;
  #next: number;

  constructor(sample: () => void) {
    super(growingWorkOfPass);
    this.read('x'.repeat(smallCharacters));
    this.#sample = sample;
    this.#step = this.left / (samplesOfLimit + 1);
    this.#next = this.#step;
  }

  override charge(units: number): void {
    super.charge(units);
    if (this.spent >= this.#next) {
      this.#next = this.spent + this.#step;
      this.#sample();
    }
  }
}

/** Returns the seconds of processor time, of all threads, for the limit. Includes the collection of garbage. */
export function timeOfLimit(row: UnitCase, size: number): number {
  const run = row.prepare(size);
  const meter = new WorkMeter(growingWorkOfPass);
  meter.read('x'.repeat(smallCharacters));
  const limit = meter.left;
  const before = process.cpuUsage();
  const seconds = (): number => {
    const { user, system } = process.cpuUsage(before);
    return (user + system) / 1e6;
  };
  spendAll(run, meter, () => seconds() > mostSecondsOfRow);
  return seconds() * Math.max(1, limit / meter.spent);
}

/**
 * Returns the most bytes that were in use while the limit was spent. `keep` prepares the work of a row that keeps all its
 * results. `inUse` returns the bytes in use, after a collection.
 */
export function memoryOfLimit(keep: (size: number) => Run, size: number, inUse: () => number): number {
  const run = keep(size);
  const before = inUse();
  let most = 0;
  const sample = (): void => {
    most = Math.max(most, inUse() - before);
  };
  spendAll(run, new SampledMeter(sample), () => false);
  return most;
}

function spendAll(run: Run, meter: WorkMeter, isEnough: () => boolean): void {
  let before = -1;
  // A run that has no work is refused before it begins.
  while (meter.spent > before && meter.left > 0 && !isEnough()) {
    before = meter.spent;
    try {
      run(meter);
    } catch (error) {
      if (!(error instanceof WorkLimitError)) {
        throw error;
      }
    }
  }
}
