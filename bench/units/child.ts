// Measures the rows of the table of work in a separate process, whose young heap is so large that nothing is collected
// during a run. Prints the figures of each row as JSON.
import { WorkMeter } from '@capi-serverless/apimachinery';
import { patchCases } from '../../test/support/work-units/patch-cases.ts';
import { ruleCases } from '../../test/support/work-units/rule-cases.ts';
import { schemaCases } from '../../test/support/work-units/schema-cases.ts';
import { templateCases } from '../../test/support/work-units/template-cases.ts';
import type { UnitCase } from '../../test/support/work-units/unit-case.ts';
import { memoryOfLimit, timeOfLimit } from './spend.ts';
import type { MeasuredRow, SpentRow } from './units.ts';

const [size = 0, milliseconds = 0, spentRows = 0] = process.argv.slice(2).map(Number);
const { gc } = globalThis;
if (gc === undefined) {
  throw new Error('needs --expose-gc');
}

const allocated = (): number => {
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
};

/** The characters of small texts, for rows whose start takes the most. */
const smallSize = 32;

interface Candidate {
  readonly row: UnitCase;
  readonly size: number;
  readonly figures: MeasuredRow;
}

function measure(engine: string, row: UnitCase): readonly Candidate[] {
  return [size, smallSize].map((of, at) => ({
    row,
    size: of,
    figures: measureRow(engine, row, { size: of, milliseconds: at === 0 ? milliseconds : milliseconds / 5 }),
  }));
}

function measureRow(
  engine: string,
  row: UnitCase,
  { size, milliseconds }: { readonly size: number; readonly milliseconds: number },
): MeasuredRow {
  const run = row.prepare(size);
  const meter = new WorkMeter({ units: Number.MAX_SAFE_INTEGER, what: 'the bench', remedy: 'none' });
  run(meter);
  gc?.({ type: 'minor' });
  const [bytesBefore, unitsBefore] = [allocated(), meter.spent];
  run(meter);
  const bytes = Math.max(0, allocated() - bytesBefore);
  const units = meter.spent - unitsBefore;
  let best = Number.POSITIVE_INFINITY;
  const end = performance.now() + milliseconds;
  for (let runs = 0; runs < 3 || performance.now() < end; runs += 1) {
    const began = performance.now();
    run(meter);
    best = Math.min(best, performance.now() - began);
  }
  const { of, shown, input } = row;
  return { engine, of, shown, input, nanoseconds: (best * 1e6) / units, bytes: bytes / units, units };
}

/** The baseline: a loop that reads each unit of a text once. */
function measureReading(): number {
  const text = 'aé'.repeat(500_000);
  let best = Number.POSITIVE_INFINITY;
  let sum = 0;
  for (let runs = 0; runs < 20; runs += 1) {
    const began = performance.now();
    for (let at = 0; at < text.length; at += 1) {
      sum += text.charCodeAt(at);
    }
    best = Math.min(best, performance.now() - began);
  }
  return sum === 0 ? 0 : (best * 1e6) / text.length;
}

const progress = (text: string): void => void process.stderr.write(`units: ${text}\n`);

/** Spends the limit of a small object with the rows that take the most time, and with those that create the most memory. */
function spend(candidates: readonly Candidate[]): readonly SpentRow[] {
  const worst = (figure: 'nanoseconds' | 'bytes', of: readonly Candidate[]): readonly Candidate[] =>
    of.toSorted((a, b) => b.figures[figure] - a.figures[figure]).slice(0, spentRows);
  progress(`the limit of 1 KB, the time of ${spentRows} rows`);
  const times = worst('nanoseconds', candidates).map(({ row, size: of, figures }) => ({
    ...nameOf(figures, of),
    seconds: timeOfLimit(row, of),
    bytes: null,
  }));
  progress(`the limit of 1 KB, the memory of ${spentRows} rows`);
  const keeping = candidates.filter(({ row }) => row.keep !== undefined);
  const memory = worst('bytes', keeping).map(({ row, size: of, figures }) => ({
    ...nameOf(figures, of),
    seconds: null,
    bytes: memoryOfLimit(row.keep ?? row.prepare, of, inUse),
  }));
  return [...times, ...memory];
}

const nameOf = ({ engine, shown, input }: MeasuredRow, of: number) => ({ engine, shown, input: `${input} of ${of}` });

function inUse(): number {
  gc?.({ type: 'major' });
  return allocated();
}

const engines = { template: templateCases, rule: ruleCases, schema: schemaCases, patch: patchCases };
const candidates = Object.entries(engines).flatMap(([engine, cases]) => {
  progress(`${cases.length} rows of the engine ${engine}`);
  return cases.flatMap(row => measure(engine, row));
});
const rows = candidates.filter(({ size: of }) => of === size).map(({ figures }) => figures);
const reading = measureReading();
// An expression that is refused before it runs has no work.
const spent = spend(candidates.filter(({ figures }) => figures.units > 0));
process.stdout.write(JSON.stringify({ rows, reading, spent }));
