// Validates numbers against the bounds of a schema and the bounds of the types that API servers use.
import { printDouble } from '@capi-serverless/apimachinery';
import { int64Limit, jsonTypeOf } from './json-type.ts';
import { general, type ValueProblem, violation } from './problem.ts';
import type { VariableSchema } from './schema.ts';

const int32Limit = 2 ** 31;

interface Subject {
  readonly schema: VariableSchema;
  readonly at: string;
  readonly types: readonly string[];
  readonly format: string | undefined;
}

/** Returns the violated bounds of a number, in order. */
export function problemsOfNumber(value: number, { schema, at, types, format }: Subject): readonly ValueProblem[] {
  const type = types.length === 1 ? types[0] : undefined;
  const range = { type, format, at };
  const { minimum, maximum } = schema;
  return [
    ...problemsOfRange('Checked', value, range),
    ...(minimum === undefined ? [] : problemsOfBound(value, { which: 'Minimum', bound: minimum, schema }, range)),
    ...(maximum === undefined ? [] : problemsOfBound(value, { which: 'Maximum', bound: maximum, schema }, range)),
  ];
}

interface Range {
  readonly type: string | undefined;
  readonly format: string | undefined;
  readonly at: string;
}

/** The value or bound must be representable in the type. */
function problemsOfRange(which: string, value: number, { type, format, at }: Range): readonly ValueProblem[] {
  if (canHold(value, type, format)) {
    return [];
  }
  const suffix = format === undefined ? '(default format)' : `with format ${format}`;
  return [general(`${which} value must be of type ${type} ${suffix} in ${at}`)];
}

function canHold(value: number, type: string | undefined, format: string | undefined): boolean {
  if (type === 'integer') {
    const limit = format === 'int32' ? int32Limit : int64Limit;
    return Number.isInteger(value) && value >= -limit && value < limit;
  }
  return !(type === 'number' && format === 'float') || Number.isFinite(Math.fround(value));
}

interface Bound {
  readonly which: 'Minimum' | 'Maximum';
  readonly bound: number;
  readonly schema: VariableSchema;
}

function problemsOfBound(value: number, { which, bound, schema }: Bound, range: Range): readonly ValueProblem[] {
  const ofBound = problemsOfRange(`${which} boundary`, bound, range);
  const isMinimum = which === 'Minimum';
  const exclusive = (isMinimum ? schema.exclusiveMinimum : schema.exclusiveMaximum) === true;
  const distance = isMinimum ? value - bound : bound - value;
  if (exclusive ? distance > 0 : distance >= 0) {
    return ofBound;
  }
  const shown = jsonTypeOf(value) === 'integer' && ofBound.length === 0 ? String(bound) : printDouble(bound);
  const words = `${isMinimum ? 'greater' : 'less'} than${exclusive ? '' : ' or equal to'}`;
  return [...ofBound, violation(range.at, value, `should be ${words} ${shown}`)];
}
