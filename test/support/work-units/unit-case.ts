// One row of the table of work: a function, keyword or operation on input of one class. The unit tests count its work,
// and the bench measures the time and the bytes per unit.
import { WorkMeter } from '@capi-serverless/apimachinery';

/** Classes of texts, then classes of other values. `parts` are many arguments, fields or operands in one expression. */
export const textClasses = ['ascii', 'two-byte', 'emoji', 'ill-formed', 'long line', 'many lines'] as const;
export type TextClass = (typeof textClasses)[number];
export type InputClass = TextClass | 'deep' | 'wide' | 'parts';

export interface UnitCase {
  /** The registered name of the function, keyword or operation. */
  readonly of: string;
  /** What is run, for messages. */
  readonly shown: string;
  readonly input: InputClass;
  /** Why the work grows with the square of the size. Absent: it grows with the size, at most. */
  readonly square?: string;
  /** Whether the work does not depend on the size. */
  readonly isFixed?: boolean;
  /** Prepares input of a size. The returned function does the work once. It returns an error if the input is refused. */
  prepare(size: number): (meter: WorkMeter) => string | undefined;
}

/** Returns the units of one run. Throws if the run is refused with an error that means a mistake of the table. */
export function countUnits(row: UnitCase, size: number): number {
  const meter = new WorkMeter({ units: 1e12, what: 'the table', remedy: 'none' });
  const error = row.prepare(size)(meter);
  if (error !== undefined && mistakes.test(error)) {
    throw new Error(`${row.shown} on ${row.input}: ${error}`);
  }
  return meter.spent;
}

/** Errors of expressions that do not even run. */
const mistakes =
  /wrong number of args|is not a defined function|wrong type|invalid value; expected|unexpected|undeclared|no matching overload|Syntax error|Cannot|expected type|no such overload|limit exceeded|cost exceeds/;

const parts: Readonly<Record<TextClass, string>> = {
  ascii: 'aB c-1.',
  'two-byte': 'é',
  emoji: '😀',
  'ill-formed': 'a\ud800',
  'long line': 'abcdefghij',
  'many lines': 'a\n',
};

/** Returns a text of about this many UTF-16 units. */
export function textOf(input: TextClass, size: number): string {
  const part = parts[input];
  return part.repeat(Math.ceil(size / part.length));
}

/** Returns lists inside each other. */
export function deepList(levels: number): unknown {
  let value: unknown = ['x'];
  for (let level = 1; level < levels; level += 1) {
    value = [value];
  }
  return value;
}

export function isText(input: InputClass): input is TextClass {
  return textClasses.some(known => known === input);
}
