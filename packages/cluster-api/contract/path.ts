// Reads single fields of provider objects by dotted path, with type checks. Other fields are ignored.
import { isJsonObject, type JsonObject, toLimitedText } from '@capi-serverless/apimachinery';
import * as z from 'zod/mini';

/** `wrongType`: the field exists with another type than in the contract. The error contains the path and both types. */
export type Found<T> =
  | { readonly state: 'value'; readonly value: T }
  | { readonly state: 'absent' }
  | { readonly state: 'wrongType'; readonly error: string };

const absent = { state: 'absent' } as const;
const text = z.string('a string');
const flag = z.boolean('a boolean');
const integer = z.int('a whole number');
const list = z.array(z.unknown(), 'a list');
const map = z.record(z.string(), z.unknown(), 'an object');

/** The maximum number of problems in an error. A list may have a problem for each of its items. */
const mostProblems = 3;
/** The maximum length of a problem. A path may contain names of any length. */
const longestProblem = 1024;

export function readString(object: unknown, path: string): Found<string> {
  return readField(object, path, text);
}

export function readBoolean(object: unknown, path: string): Found<boolean> {
  return readField(object, path, flag);
}

export function readInteger(object: unknown, path: string): Found<number> {
  return readField(object, path, integer);
}

export function readList(object: unknown, path: string): Found<readonly unknown[]> {
  return readField(object, path, list);
}

export function readMap(object: unknown, path: string): Found<JsonObject> {
  return readField(object, path, map);
}

/**
 * Returns a field decoded with this schema. The messages of the schema contain the expected type, for example "a list".
 */
export function readField<T>(object: unknown, path: string, schema: z.ZodMiniType<T>): Found<T> {
  const raw = find(object, path);
  if (raw.state !== 'value') {
    return raw;
  }
  const decoded = schema.safeParse(raw.value, { reportInput: true });
  if (decoded.success) {
    return { state: 'value', value: decoded.data };
  }
  const { issues } = decoded.error;
  const problems = issues
    .slice(0, mostProblems)
    .map(issue => describe([path, ...issue.path.map(String)], issue.input, issue.message))
    .map(problem => toLimitedText(problem, longestProblem));
  const more = issues.length > mostProblems ? [`${issues.length - mostProblems} more`] : [];
  return wrongType(path, [...problems, ...more].join('; '));
}

/** Returns the result for a field of the wrong type. */
export function wrongType(path: string, problem: string): { readonly state: 'wrongType'; readonly error: string } {
  return { state: 'wrongType', error: `failed to get .${path} from object: ${problem}` };
}

/** Returns the value, or the given default for a field that is absent or has the wrong type. */
export function valueOr<T>(found: Found<T>, otherwise: T): T {
  return found.state === 'value' ? found.value : otherwise;
}

/** Returns the same state, with `use` applied to the value. */
export function mapFound<T, U>(found: Found<T>, use: (value: T) => U): Found<U> {
  return found.state === 'value' ? { state: 'value', value: use(found.value) } : found;
}

/**
 * Returns a copy of the object with this field set. The copy contains the original values outside the path. A value on
 * the path that is not an object is replaced by an object.
 */
export function setAt<T extends object>(object: T, path: string, value: unknown): T {
  const [field = '', ...rest] = path.split('.');
  if (rest.length === 0) {
    return { ...object, [field]: value };
  }
  const child = new Map(Object.entries(object)).get(field);
  return { ...object, [field]: setAt(isJsonObject(child) ? child : {}, rest.join('.'), value) };
}

function find(object: unknown, path: string): Found<unknown> {
  let value = object;
  const walked: string[] = [];
  for (const field of path.split('.')) {
    if (value === undefined || value === null) {
      return absent;
    }
    if (!isJsonObject(value)) {
      return wrongType(path, describe(walked, value, 'an object'));
    }
    walked.push(field);
    value = Object.hasOwn(value, field) ? value[field] : undefined;
  }
  return value === undefined || value === null ? absent : { state: 'value', value };
}

function describe(path: readonly string[], found: unknown, expected: string): string {
  return `.${path.join('.')} is ${typeName(found)}, expected ${expected}`;
}

function typeName(value: unknown): string {
  if (value === undefined || value === null) {
    return 'absent';
  }
  if (Array.isArray(value)) {
    return 'a list';
  }
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`;
}
