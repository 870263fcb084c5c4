// Section `units`: the time and the allocated bytes for one unit of the common meter, for every function, keyword and
// operation that tenants can use, on texts and values of all classes. The baseline reads one character of a text.
import { fileURLToPath } from 'node:url';
import { measureInChild } from '../measuring-child.ts';
import { median, type Row, type Say, type Section } from '../section.ts';

interface UnitSizes {
  /** The characters of the texts, about. */
  readonly size: number;
  /** The time for each row. */
  readonly milliseconds: number;
}

export const fullUnits: UnitSizes = { size: 20_000, milliseconds: 10 };
export const quickUnits: UnitSizes = { size: 2000, milliseconds: 0 };

/** The figures of a row. Times and bytes are those of one unit. */
export interface MeasuredRow {
  readonly engine: string;
  readonly of: string;
  readonly shown: string;
  readonly input: string;
  readonly nanoseconds: number;
  readonly bytes: number;
  /** The units of one run. */
  readonly units: number;
}

interface Figures {
  readonly rows: readonly MeasuredRow[];
  /** The nanoseconds for one character. */
  readonly reading: number;
}

const mostNanoseconds = 100;
const mostBytes = 64;
const mostMedians = 10;

export async function measureUnits({ sizes, say }: { readonly sizes: UnitSizes; readonly say: Say }): Promise<Section> {
  say(`units: each function, keyword and operation on inputs of ${sizes.size} characters`);
  const figures = await measureChild(sizes);
  return {
    name: 'units',
    title: 'One unit of work',
    subjects: ['this project', 'reading one character'],
    rows: toRows(figures),
    skipped: [],
  };
}

/** Returns the medians, and the rows above a limit. Exported for tests. */
export function toRows({ rows, reading }: Figures): readonly Row[] {
  const nanoseconds = median(rows.map(row => row.nanoseconds));
  const bytes = median(rows.map(row => row.bytes));
  const slow = rows.filter(
    row => row.nanoseconds > mostNanoseconds || row.nanoseconds > mostMedians * (nanoseconds ?? 0),
  );
  const large = rows.filter(row => row.bytes > mostBytes);
  const named = ({ engine, shown, input }: MeasuredRow): string => `${engine} ${shown} on ${input}`;
  return [
    { figure: 'rows', unit: 'count', values: [rows.length, null] },
    { figure: 'time of a unit, median', unit: 'ns', values: [nanoseconds, reading] },
    { figure: 'allocated for a unit, median', unit: 'B', values: [bytes, null] },
    {
      figure: `rows above ${mostNanoseconds} ns or ${mostMedians} medians`,
      unit: 'count',
      values: [slow.length, null],
    },
    { figure: `rows above ${mostBytes} B`, unit: 'count', values: [large.length, null] },
    ...slow
      .toSorted((a, b) => b.nanoseconds - a.nanoseconds)
      .map(row => ({ figure: named(row), unit: 'ns' as const, values: [row.nanoseconds, reading] })),
    ...large
      .toSorted((a, b) => b.bytes - a.bytes)
      .map(row => ({ figure: named(row), unit: 'B' as const, values: [row.bytes, null] })),
  ];
}

function measureChild({ size, milliseconds }: UnitSizes): Promise<Figures> {
  return measureInChild({
    program: fileURLToPath(import.meta.resolve('./child.ts')),
    args: [size, milliseconds],
    flags: ['--expose-gc', '--min-semi-space-size=256', '--max-semi-space-size=256'],
  });
}
