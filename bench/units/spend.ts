// Spends the whole limit of a small object with one row of the table of work, and measures the processor time and the
// memory that stays in use. An object of this size can make texts of any size, so rows run with small and large ones.
import { WorkLimitError, WorkMeter } from '@capi-serverless/apimachinery';
import { growingWorkOfPass, workOfShare } from '../../packages/reconciler/work.ts';
import type { UnitCase } from '../../test/support/work-units/unit-case.ts';

/** The characters of a small object, as in docs/decisions/0075-small-objects.md. */
const smallCharacters = 1024;
/** The memory is measured each time that this part of the limit is spent. */
const samplesOfLimit = 8;
/** The part of the limit that is enough to compare rows. */
const partToCompare = 1 / 50;

type Run = (meter: WorkMeter) => string | undefined;

/** Has a part of the limit of a small object. Calls back at equal distances, in the middle of the work. */
class SampledMeter extends WorkMeter {
  readonly #sample: () => void;
  readonly #step: number;
  #next: number;

  constructor(part: number, { samples, sample }: { readonly samples: number; readonly sample: () => void }) {
    super(workOfShare(growingWorkOfPass, part));
    this.read('x'.repeat(smallCharacters));
    this.#sample = sample;
    this.#step = this.left / (samples + 1);
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

/** Returns the seconds of processor time, of all threads, until the limit is spent. */
export function timeOfLimit(row: UnitCase, size: number): number {
  const run = row.prepare(size);
  const meter = new WorkMeter(growingWorkOfPass);
  meter.read('x'.repeat(smallCharacters));
  const before = process.cpuUsage();
  spendAll(run, meter);
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1e6;
}

interface InUse {
  readonly row: UnitCase;
  readonly size: number;
  /** Returns the bytes in use, after a collection. */
  readonly inUse: () => number;
}

/** Returns the most bytes that were in use while the limit was spent. A row that can keep all its results keeps them. */
export function memoryOfLimit(of: InUse): number {
  return mostInUse(of, 1, samplesOfLimit);
}

/** Returns a figure that is greater for rows that have more bytes in use. */
export function memoryOfPart(of: InUse): number {
  return mostInUse(of, partToCompare, 1);
}

function mostInUse({ row, size, inUse }: InUse, part: number, samples: number): number {
  const run = (row.keep ?? row.prepare)(size);
  const before = inUse();
  let most = 0;
  const sample = (): void => {
    most = Math.max(most, inUse() - before);
  };
  spendAll(run, new SampledMeter(part, { samples, sample }));
  return most;
}

function spendAll(run: Run, meter: WorkMeter): void {
  let before = -1;
  // A run that has no work is refused before it begins.
  while (meter.spent > before && meter.left > 0) {
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
