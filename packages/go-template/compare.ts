// Equality and order of the functions eq, ne, lt, le, gt, ge. https://pkg.go.dev/text/template#hdr-Functions
import { compareBytes } from './bytes.ts';
import { FunctionError } from './call.ts';
import type { RenderMeter } from './limits.ts';
import { printed } from './print.ts';
import { Dict, Int, List, Opaque, type TemplateValue, typeOf } from './value.ts';

function incompatible(first: TemplateValue, other: TemplateValue): FunctionError {
  return new FunctionError(`incompatible types for comparison: ${typeOf(first)} and ${typeOf(other)}`);
}

type Basic = 'bool' | 'float' | 'int' | 'uint' | 'string';

function basicKind(value: TemplateValue): Basic | undefined {
  if (value instanceof Int) {
    return value.type.startsWith('u') ? 'uint' : 'int';
  }
  switch (typeof value) {
    case 'boolean':
      return 'bool';
    case 'number':
      return 'float';
    case 'string':
      return 'string';
    default:
      return undefined;
  }
}

function isComparable(value: TemplateValue): boolean {
  return !(value instanceof List || value instanceof Dict);
}

/** Returns true if the first value equals any of the others. */
export function equalsAny(first: TemplateValue, others: readonly TemplateValue[], meter: RenderMeter): boolean {
  if (others.length === 0) {
    throw new FunctionError('missing argument for comparison');
  }
  return others.some(other => equals(first, other, meter));
}

export function equals(first: TemplateValue, other: TemplateValue, meter: RenderMeter): boolean {
  const [a, b] = [basicKind(first), basicKind(other)];
  if (first instanceof Int && other instanceof Int) {
    return first.value === other.value;
  }
  if (a !== b && a !== undefined && b !== undefined) {
    throw incompatible(first, other);
  }
  if (a !== undefined && b !== undefined) {
    return first === other;
  }
  return equalsReferences(first, other, meter);
}

function equalsReferences(first: TemplateValue, other: TemplateValue, meter: RenderMeter): boolean {
  const missing = [first, other].filter(value => value === undefined || value === null).length;
  if (missing > 0) {
    return missing === 2;
  }
  if (typeOf(first) !== typeOf(other)) {
    throw incompatible(first, other);
  }
  if (!isComparable(first)) {
    throw new FunctionError(`non-comparable type ${printed(first, meter)}: ${typeOf(first)}`);
  }
  return first === other || (first instanceof Opaque && other instanceof Opaque && first.text === other.text);
}

/** Returns a negative number, zero or a positive number. */
export function order(first: TemplateValue, other: TemplateValue): number {
  const [a, b] = [basicKind(first), basicKind(other)];
  if (first instanceof Int && other instanceof Int) {
    return first.value < other.value ? -1 : first.value > other.value ? 1 : 0;
  }
  if (a === undefined || b === undefined) {
    throw new FunctionError('invalid type for comparison');
  }
  if (a !== b) {
    throw incompatible(first, other);
  }
  if (typeof first === 'number' && typeof other === 'number') {
    return first - other;
  }
  if (typeof first === 'string' && typeof other === 'string') {
    return compareBytes(first, other);
  }
  throw new FunctionError('invalid type for comparison');
}
