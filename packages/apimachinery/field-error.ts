// A problem of one field of an object, printed as in Kubernetes.
// https://pkg.go.dev/k8s.io/apimachinery/pkg/util/validation/field#Error
import { toAggregateText } from './aggregate-text.ts';
import { compareText } from './text-order.ts';

export type FieldErrorType =
  | 'Invalid value'
  /** Printed as an invalid value. Only the reason of its cause differs. */
  | 'Invalid type'
  | 'Required value'
  | 'Duplicate value'
  | 'Unsupported value'
  | 'Forbidden'
  | 'Too long'
  | 'Too many'
  | 'Internal error';

export interface FieldError {
  readonly type: FieldErrorType;
  readonly field: string;
  /** The invalid value as JSON. Omitted if undefined, and for types that do not print it. */
  readonly value?: unknown;
  /** The detail text. May be "". */
  readonly detail: string;
}

const withoutValue: readonly FieldErrorType[] = ['Required value', 'Forbidden', 'Too long', 'Internal error'];

export function invalidValue(field: string, value: unknown, detail: string): FieldError {
  return { type: 'Invalid value', field, value, detail };
}

export function requiredValue(field: string, detail = ''): FieldError {
  return { type: 'Required value', field, detail };
}

export function forbidden(field: string, detail: string): FieldError {
  return { type: 'Forbidden', field, detail };
}

export function internalError(field: string, detail: string): FieldError {
  return { type: 'Internal error', field, detail };
}

/** The values in `supported` are printed in the given order. */
export function unsupportedValue(field: string, value: unknown, supported: readonly string[]): FieldError {
  return { type: 'Unsupported value', field, value, detail: `supported values: ${supported.map(quote).join(', ')}` };
}

/** Returns `<field>: <type>: <value>: <detail>`. */
export function printFieldError(error: FieldError): string {
  return `${error.field}: ${printProblem(error)}`;
}

/** Returns `<type>: <value>: <detail>`. */
export function printProblem({ type, value, detail }: FieldError): string {
  const hidden = value === undefined || withoutValue.includes(type);
  const printed = type === 'Invalid type' ? 'Invalid value' : type;
  const parts = [printed, ...(hidden ? [] : [printValue(value)]), detail];
  return parts.filter((part, index) => index === 0 || part !== '').join(': ');
}

/** Returns the aggregate of field errors. */
export function printFieldErrors(errors: readonly FieldError[]): string {
  return toAggregateText(errors.map(printFieldError));
}

/** Returns the body of an API error of reason Invalid about an object of this kind. */
export function printInvalidObject(of: {
  readonly kind: string;
  readonly group: string;
  readonly name: string;
  readonly errors: readonly FieldError[];
}): string {
  return `${of.kind}.${of.group} ${quote(of.name)} is invalid: ${printFieldErrors(of.errors)}`;
}

function printValue(value: unknown): string {
  if (typeof value === 'string') {
    return quote(value);
  }
  return typeof value === 'number' ? printNumber(value) : toCompactJson(value);
}

/** API servers keep a whole number as an integer if it fits into 64 bits. */
function printNumber(value: number): string {
  return Number.isInteger(value) && Math.abs(value) < 2 ** 63 ? BigInt(value).toString() : printDouble(value);
}

/**
 * Prints a floating point number. From a million on, and for very small values, it has an exponent of at least two
 * digits.
 */
export function printDouble(value: number): string {
  const [mantissa = '', power = ''] = value.toExponential().split('e');
  const exponent = Number(power);
  return exponent >= -4 && exponent < 6
    ? String(value)
    : `${mantissa}e${power.slice(0, 1)}${power.slice(1).padStart(2, '0')}`;
}

/**
 * Returns JSON without white space in the form of Go's encoder. Markup characters are escaped, and the order of members
 * is preserved.
 */
function toCompactJson(value: unknown): string {
  return JSON.stringify(value).replaceAll(/[<>&\u2028\u2029]/g, escapeUnit);
}

function escapeUnit(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}

/** Returns JSON without white space and with sorted members. API servers print free-form values in this form. */
export function toSortedJson(value: unknown): string {
  return toCompactJson(sortMembers(value));
}

/** Returns the value with the members of all objects sorted by name. */
export function sortMembers(value: unknown): unknown {
  if (Array.isArray(value)) {
    return value.map(sortMembers);
  }
  if (typeof value !== 'object' || value === null) {
    return value;
  }
  const entries = Object.entries(value).toSorted(([left], [right]) => compareText(left, right));
  return Object.fromEntries(entries.map(([name, member]) => [name, sortMembers(member)]));
}

const shortEscapes: Readonly<Record<string, string>> = {
  '"': '\\"',
  '\\': '\\\\',
  '\u0007': '\\a',
  '\b': '\\b',
  '\f': '\\f',
  '\n': '\\n',
  '\r': '\\r',
  '\t': '\\t',
  '\v': '\\v',
};

/** Returns a text in double quotes with Go's escapes for quotes, backslashes and unprintable characters. */
export function quote(text: string): string {
  const escaped = text.replaceAll(/["\\]|[^\p{L}\p{M}\p{N}\p{P}\p{S} ]/gu, character => {
    return shortEscapes[character] ?? escapeCode(character);
  });
  return `"${escaped}"`;
}

function escapeCode(character: string): string {
  const code = Number(character.codePointAt(0));
  if (code < 0x80) {
    return `\\x${code.toString(16).padStart(2, '0')}`;
  }
  return code < 0x10000 ? escapeUnit(character) : `\\U${code.toString(16).padStart(8, '0')}`;
}
