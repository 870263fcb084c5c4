// Measures the rows of the table of work in a separate process, whose young heap is so large that nothing is collected
// during a run. Prints the figures of each row as JSON.
import { WorkMeter } from '@capi-serverless/apimachinery';
import { patchCases } from '../../test/support/work-units/patch-cases.ts';
import { ruleCases } from '../../test/support/work-units/rule-cases.ts';
import { schemaCases } from '../../test/support/work-units/schema-cases.ts';
import { templateCases } from '../../test/support/work-units/template-cases.ts';
import type { UnitCase } from '../../test/support/work-units/unit-case.ts';
import type { MeasuredRow } from './units.ts';

const [size = 0, milliseconds = 0] = process.argv.slice(2).map(Number);
const { gc } = globalThis;
if (gc === undefined) {
  throw new Error('needs --expose-gc');
}

const allocated = (): number => {
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
};

function measure(engine: string, row: UnitCase): MeasuredRow {
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

const rows = [
  ...templateCases.map(row => measure('template', row)),
  ...ruleCases.map(row => measure('rule', row)),
  ...schemaCases.map(row => measure('schema', row)),
  ...patchCases.map(row => measure('patch', row)),
];
process.stdout.write(JSON.stringify({ rows, reading: measureReading() }));
