// What is wrong with one field of an object, and how Kubernetes prints it.
// https://pkg.go.dev/k8s.io/apimachinery/pkg/util/validation/field#Error
import { toAggregateText } from './aggregate-text.ts';

export type FieldErrorType =
  | 'Invalid value'
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
  /** The value at fault, as JSON. Left out where it is undefined, and for the types that hide it. */
  readonly value?: unknown;
  /** May be "". */
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

/** `supported` is printed in the order given. */
export function unsupportedValue(field: string, value: unknown, supported: readonly string[]): FieldError {
  return { type: 'Unsupported value', field, value, detail: `supported values: ${supported.map(quote).join(', ')}` };
}

/** `<field>: <type>: <value>: <detail>` */
export function printFieldError(error: FieldError): string {
  return `${error.field}: ${printProblem(error)}`;
}

/** `<type>: <value>: <detail>` */
export function printProblem({ type, value, detail }: FieldError): string {
  const hidden = value === undefined || withoutValue.includes(type);
  const parts = [type, ...(hidden ? [] : [printValue(value)]), detail];
  return parts.filter((part, index) => index === 0 || part !== '').join(': ');
}

/** The aggregate of field errors. */
export function printFieldErrors(errors: readonly FieldError[]): string {
  return toAggregateText(errors.map(printFieldError));
}

/** The body of an API error of reason Invalid about an object of this kind. */
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

/** API servers hold whole numbers as integers as long as 64 bits hold them. */
function printNumber(value: number): string {
  return Number.isInteger(value) && Math.abs(value) < 2 ** 63 ? BigInt(value).toString() : printDouble(value);
}

/** A floating point number: with an exponent of at least two digits from a million on, and for tiny ones. */
export function printDouble(value: number): string {
  const [mantissa = '', power = ''] = value.toExponential().split('e');
  const exponent = Number(power);
  return exponent >= -4 && exponent < 6
    ? String(value)
    : `${mantissa}e${power.slice(0, 1)}${power.slice(1).padStart(2, '0')}`;
}

const escapesOfMarkup: Readonly<Record<string, string>> = {
  '<': '\\u003c',
  '>': '\\u003e',
  '&': '\\u0026',
  '\u2028': '\\u2028',
  '\u2029': '\\u2029',
};

/** JSON without white space as Go's encoder writes it: markup characters are escaped. Members stay in their order. */
export function toCompactJson(value: unknown): string {
  return JSON.stringify(value).replaceAll(/[<>&\u2028\u2029]/g, character => escapesOfMarkup[character] ?? character);
}

/** JSON without white space and with sorted members, as the API server keeps free-form values. */
export function toSortedJson(value: unknown): string {
  return toCompactJson(sortMembers(value));
}

/** The same value with the members of its objects in the order of their names. */
export function sortMembers(value: unknown): unknown {
  if (Array.isArray(value)) {
    return value.map(sortMembers);
  }
  if (typeof value !== 'object' || value === null) {
    return value;
  }
  const entries = Object.entries(value).toSorted(([left], [right]) => (left < right ? -1 : 1));
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

/** A text in double quotes, with escapes for quotes, backslashes and what cannot be printed, as Go writes it. */
export function quote(text: string): string {
  const escaped = text.replaceAll(/["\\]|[^\p{L}\p{M}\p{N}\p{P}\p{S} ]/gu, character => {
    const code = character.codePointAt(0) ?? 0;
    return shortEscapes[character] ?? escapeCode(code);
  });
  return `"${escaped}"`;
}

function escapeCode(code: number): string {
  if (code < 0x80) {
    return `\\x${code.toString(16).padStart(2, '0')}`;
  }
  return code < 0x10000 ? `\\u${code.toString(16).padStart(4, '0')}` : `\\U${code.toString(16).padStart(8, '0')}`;
}
