// Section `units`: the time and the allocated bytes for one unit of the common meter, for every function, keyword and
// operation that tenants can use, on texts and values of all classes. The baseline reads one character of a text.
import { fileURLToPath } from 'node:url';
import { measureInChild } from '../measuring-child.ts';
import { median, type Row, type Say, type Section, type Unit } from '../section.ts';

interface UnitSizes {
  /** The characters of the texts, about. */
  readonly size: number;
  /** The time for each row. */
  readonly milliseconds: number;
  /** The number of rows that spend the limit of a small object, for the time and for the memory. */
  readonly spentRows: number;
}

export const fullUnits: UnitSizes = { size: 20_000, milliseconds: 10, spentRows: 20 };
export const quickUnits: UnitSizes = { size: 2000, milliseconds: 0, spentRows: 1 };

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

/** A row that spent the limit of a small object. A figure that was not measured is null. */
export interface SpentRow {
  readonly engine: string;
  readonly shown: string;
  readonly input: string;
  /** Of one core. */
  readonly seconds: number | null;
  /** The most that was in use. */
  readonly bytes: number | null;
}

interface Figures {
  readonly rows: readonly MeasuredRow[];
  readonly spent: readonly SpentRow[];
  /** The nanoseconds for one character. */
  readonly reading: number;
}

const mostNanoseconds = 100;
const mostBytes = 64;
const mostMedians = 10;
/** The aims for a small object. */
const mostSeconds = 1;
const mostMebibytes = 100;
const bytesPerMebibyte = 1024 * 1024;

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
export function toRows({ rows, spent, reading }: Figures): readonly Row[] {
  const nanoseconds = median(rows.map(row => row.nanoseconds));
  const bytes = median(rows.map(row => row.bytes));
  const slow = rows.filter(
    row => row.nanoseconds > mostNanoseconds || row.nanoseconds > mostMedians * (nanoseconds ?? 0),
  );
  const large = rows.filter(row => row.bytes > mostBytes);
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
    ...toSpentRows(spent),
  ];
}

/** Returns the number of small objects above each aim, the worst of them, and the names of those above. */
function toSpentRows(spent: readonly SpentRow[]): readonly Row[] {
  const times = spent.flatMap(row => (row.seconds === null ? [] : [{ figure: named(row), value: row.seconds }]));
  const sizes = spent.flatMap(row =>
    row.bytes === null ? [] : [{ figure: named(row), value: row.bytes / bytesPerMebibyte }],
  );
  return [
    ...worstOf('1 KB: time of the limit', times, { unit: 's', most: mostSeconds }),
    ...worstOf('1 KB: memory in use', sizes, { unit: 'MiB', most: mostMebibytes }),
  ];
}

function worstOf(
  what: string,
  measured: readonly { readonly figure: string; readonly value: number }[],
  { unit, most }: { readonly unit: Unit; readonly most: number },
): readonly Row[] {
  const sorted = measured.toSorted((a, b) => b.value - a.value);
  const above = sorted.filter(({ value }) => value > most);
  return [
    { figure: `${what}, rows above ${most} ${unit}`, unit: 'count', values: [above.length, null] },
    ...(above.length > 0 ? above : sorted.slice(0, 1)).map(({ figure, value }) => ({
      figure: `${what}: ${figure}`,
      unit,
      values: [value, null],
    })),
  ];
}

function named({ engine, shown, input }: Pick<MeasuredRow, 'engine' | 'shown' | 'input'>): string {
  return `${engine} ${shown} on ${input}`;
}

function measureChild({ size, milliseconds, spentRows }: UnitSizes): Promise<Figures> {
  return measureInChild({
    program: fileURLToPath(import.meta.resolve('./child.ts')),
    args: [size, milliseconds, spentRows],
    flags: ['--expose-gc', '--min-semi-space-size=256', '--max-semi-space-size=256'],
  });
}
