// Reads and writes JSON by the shapes of one version, as typed code does: unknown fields are dropped, times are in UTC,
// and zero values and absent values are the same unless the type is a pointer.
//
// A value that was read has one form. In a struct, a field with its zero value is absent. Items of lists and maps, and
// what a pointer points to, are present with their zero value. Absent pointers and lists are null there.
import { isJsonObject, memberOf, setMember } from '@capi-serverless/apimachinery';
import { parseDuration, printDuration } from '@capi-serverless/apimachinery/duration';
import { parseNanoseconds, toTimestamp } from '@capi-serverless/apimachinery/timestamp';
import { ConversionError } from './conversion-error.ts';
import type { FieldType, ShapeBook } from './shape.ts';

/** The fields of a struct that have another value than zero. */
export type Struct = Readonly<Record<string, unknown>>;

const nanosecondsPerSecond = 1_000_000_000n;
const zeroTime = '0001-01-01T00:00:00Z';

export class Codec {
  readonly #book: ShapeBook;

  constructor(book: ShapeBook) {
    this.#book = book;
  }

  /** Reads the fields of a struct. Throws ConversionError for a value of another type. */
  decode(name: string, json: unknown, path = ''): Struct {
    if (json !== null && json !== undefined && !isJsonObject(json)) {
      throw new ConversionError(`${path}: must be an object`);
    }
    const struct: Record<string, unknown> = {};
    for (const { name: field, type } of this.#book.fieldsOf(name).values()) {
      const value = this.decodeValue(type, memberOf(json, field), path === '' ? field : `${path}.${field}`);
      if (!isZero(type, value)) {
        struct[field] = value;
      }
    }
    return struct;
  }

  /** Reads one value. `null` and an absent value are the zero value. */
  decodeValue(type: FieldType, json: unknown, path: string): unknown {
    if (json === undefined || json === null) {
      return zeroOf(type);
    }
    switch (type.is) {
      case 'pointer':
        return this.decodeValue(type.of, json, path);
      case 'struct':
        return this.decode(type.name, json, path);
      case 'list':
        return toList(json, path).map((item, index) => this.decodeValue(type.of, item, `${path}[${index}]`));
      case 'map':
        return mapValues(json, path, (item, key) => this.decodeValue(type.of, item, `${path}.${key}`));
      default:
        return decodeScalar(type.is, json, path);
    }
  }

  /** Writes a struct as JSON, with fields in the declared order. */
  encode(name: string, struct: Struct): Record<string, unknown> {
    const json: Record<string, unknown> = {};
    for (const { name: field, type, isOptional } of this.#book.fieldsOf(name).values()) {
      const value = struct[field];
      if (!isOptional || (value !== undefined && !isEmpty(type, value))) {
        json[field] = this.encodeValue(type, value === undefined ? zeroOf(type) : value);
      }
    }
    return json;
  }

  encodeValue(type: FieldType, value: unknown): unknown {
    switch (type.is) {
      case 'pointer':
        return value === null ? null : this.encodeValue(type.of, value);
      case 'struct':
        // True: structs are decoded to objects.
        return this.encode(type.name, value as Struct);
      case 'list':
        return Array.isArray(value) ? value.map(item => this.encodeValue(type.of, item)) : null;
      case 'map':
        return isJsonObject(value) ? mapValues(value, '', item => this.encodeValue(type.of, item)) : null;
      case 'duration':
        return printDuration(BigInt(Number(value)) * nanosecondsPerSecond);
      default:
        return value;
    }
  }
}

/** Returns the value that a field has if it is absent. */
export function zeroOf({ is }: FieldType): unknown {
  switch (is) {
    case 'struct':
      return {};
    case 'string':
      return '';
    case 'bool':
      return false;
    case 'int':
    case 'float64':
    case 'duration':
    case 'intOrString':
      return 0;
    default:
      return null;
  }
}

/** Returns true if a field with this value is absent in a struct. */
export function isZero({ is }: FieldType, value: unknown): boolean {
  if (is === 'struct') {
    return isEmptyObject(value);
  }
  // A pointer, a list or any JSON may have the value "", false or 0.
  return value === null || (isPlain(is) && (value === '' || value === false || value === 0));
}

function isPlain(is: FieldType['is']): boolean {
  return (
    is === 'string' || is === 'bool' || is === 'int' || is === 'float64' || is === 'duration' || is === 'intOrString'
  );
}

/** Empty lists, maps and bytes are not zero, but they are left out as well. */
function isEmpty({ is }: FieldType, value: unknown): boolean {
  switch (is) {
    case 'list':
      return Array.isArray(value) && value.length === 0;
    case 'map':
      return isEmptyObject(value);
    default:
      return is === 'bytes' && value === '';
  }
}

function isEmptyObject(value: unknown): boolean {
  return isJsonObject(value) && Object.keys(value).length === 0;
}

function toList(json: unknown, path: string): readonly unknown[] {
  if (!Array.isArray(json)) {
    throw new ConversionError(`${path}: must be a list`);
  }
  return json;
}

/** Keys are sorted, as in the JSON of typed code. */
function mapValues(
  json: unknown,
  path: string,
  toValue: (value: unknown, key: string) => unknown,
): Record<string, unknown> {
  if (!isJsonObject(json)) {
    throw new ConversionError(`${path}: must be an object`);
  }
  const mapped: Record<string, unknown> = {};
  for (const key of Object.keys(json).sort()) {
    setMember(mapped, key, toValue(json[key], key));
  }
  return mapped;
}

function decodeScalar(is: string, json: unknown, path: string): unknown {
  switch (is) {
    case 'string':
    case 'bytes':
      return expectType(json, 'string', path);
    case 'bool':
      return expectType(json, 'boolean', path);
    case 'int':
    case 'float64':
      return expectType(json, 'number', path);
    case 'intOrString':
      return typeof json === 'string' ? json : expectType(json, 'number', path);
    case 'time':
      return decodeTime(String(expectType(json, 'string', path)), path);
    case 'duration':
      return decodeDuration(String(expectType(json, 'string', path)), path);
    default:
      return json;
  }
}

function expectType(json: unknown, wanted: 'string' | 'boolean' | 'number', path: string): unknown {
  if (typeof json !== wanted) {
    throw new ConversionError(`${path}: must be a ${wanted}`);
  }
  return json;
}

/** The zero time is the same as none. */
function decodeTime(text: string, path: string): string | null {
  const time = parseNanoseconds(text);
  if (!time.ok) {
    throw new ConversionError(`${path}: ${time.error}`);
  }
  const printed = toTimestamp(Number(time.value / 1_000_000n));
  return printed === zeroTime ? null : printed;
}

/** Whole seconds are enough, because the other version has whole seconds. */
function decodeDuration(text: string, path: string): number {
  const nanoseconds = parseDuration(text);
  if (nanoseconds === undefined) {
    throw new ConversionError(`${path}: time: invalid duration ${JSON.stringify(text)}`);
  }
  return Number(nanoseconds / nanosecondsPerSecond);
}
