// Conversions between types, and optional values.
// https://github.com/google/cel-spec/blob/master/doc/langdef.md#type-conversion-functions
import {
  asAny,
  asBool,
  asBytes,
  asDouble,
  asDuration,
  asInt,
  asKind,
  asOptional,
  asText,
  asTimestamp,
  costOf,
  define,
  defineIn,
  type Overload,
  sizeIs,
  toInt,
} from '../overload.ts';
import { formatDuration, formatTimestamp, parseDuration, parseTimestamp } from '../time.ts';
import { type CelValue, EvaluationProblem, isKind, none, some, typeNameOf } from '../value.ts';
import { toMoment } from './operators.ts';

function refused(value: CelValue, to: string): EvaluationProblem {
  return new EvaluationProblem(`type conversion error from '${typeNameOf(value)}' to '${to}'`);
}

function integerOf(text: string, to: string): bigint {
  if (!/^[+-]?\d{1,30}$/.test(text)) {
    throw refused(text, to);
  }
  return BigInt(text.replace(/^\+/, ''));
}

function truncated(value: number): bigint {
  if (!Number.isFinite(value)) {
    throw new EvaluationProblem('integer overflow');
  }
  return BigInt(Math.trunc(value));
}

function toUint(value: bigint): CelValue {
  if (value < 0n || value >= 2n ** 64n) {
    throw new EvaluationProblem('unsigned integer overflow');
  }
  return { kind: 'uint', value };
}

function doubleOf(text: string): number {
  const value = Number(text);
  if (!/^[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d+)?$/.test(text) && !/^[+-]?(Infinity|Inf|NaN)$/i.test(text)) {
    throw refused(text, 'double');
  }
  return value;
}

const yes: readonly string[] = ['1', 't', 'true', 'TRUE', 'True'];
const no: readonly string[] = ['0', 'f', 'false', 'FALSE', 'False'];

function boolOf(text: string): boolean {
  if (!yes.includes(text) && !no.includes(text)) {
    throw refused(text, 'bool');
  }
  return yes.includes(text);
}

function textOf(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw new EvaluationProblem('invalid UTF-8 in bytes, cannot convert to string');
  }
}

function durationOf(text: string): CelValue {
  const value = parseDuration(text);
  if (value === undefined) {
    throw refused(text, 'google.protobuf.Duration');
  }
  return value;
}

function timestampOf(text: string): CelValue {
  const value = parseTimestamp(text);
  if (value === undefined) {
    throw refused(text, 'google.protobuf.Timestamp');
  }
  return toMoment(value.nanoseconds);
}

const nanoseconds = 1_000_000_000n;
const unsigned = (value: CelValue | undefined): bigint => asKind(value, 'uint').value;
const reading = { cost: costOf.reading };
const parsing = { work: costOf.reading };

/** As in Go, very large and very small numbers have an exponent. */
function formatDouble(value: number): string {
  return Number.isFinite(value)
    ? String(value).replace(/e([+-])(\d)$/, 'e$10$2')
    : value > 0
      ? '+Inf'
      : value < 0
        ? '-Inf'
        : 'NaN';
}

const converting: readonly Overload[] = [
  define('int(int): int', ([value]) => asInt(value)),
  define('int(uint): int', ([value]) => toInt(unsigned(value))),
  define('int(double): int', ([value]) => toInt(truncated(asDouble(value)))),
  define('int(string): int', ([value]) => toInt(integerOf(asText(value), 'int')), parsing),
  define('int(google.protobuf.Timestamp): int', ([value]) => asTimestamp(value).nanoseconds / nanoseconds),
  define('int(google.protobuf.Duration): int', ([value]) => asDuration(value).nanoseconds),
  define('uint(uint): uint', ([value]) => asKind(value, 'uint')),
  define('uint(int): uint', ([value]) => toUint(asInt(value))),
  define('uint(double): uint', ([value]) => toUint(truncated(asDouble(value)))),
  define('uint(string): uint', ([value]) => toUint(integerOf(asText(value), 'uint')), parsing),
  define('double(double): double', ([value]) => asDouble(value)),
  define('double(int): double', ([value]) => Number(asInt(value))),
  define('double(uint): double', ([value]) => Number(unsigned(value))),
  define('double(string): double', ([value]) => doubleOf(asText(value)), parsing),
  define('string(string): string', ([value]) => asText(value), { resultSize: sizeIs.first }),
  define('string(int): string', ([value]) => String(asInt(value))),
  define('string(uint): string', ([value]) => String(unsigned(value))),
  define('string(double): string', ([value]) => formatDouble(asDouble(value))),
  define('string(bool): string', ([value]) => String(asBool(value))),
  define('string(bytes): string', ([value]) => textOf(asBytes(value)), { ...reading, resultSize: sizeIs.first }),
  define('string(google.protobuf.Timestamp): string', ([value]) => formatTimestamp(asTimestamp(value))),
  define('string(google.protobuf.Duration): string', ([value]) => formatDuration(asDuration(value))),
  define('bytes(bytes): bytes', ([value]) => asBytes(value), { resultSize: sizeIs.first }),
  define('bytes(string): bytes', ([value]) => new TextEncoder().encode(asText(value)), {
    ...reading,
    resultSize: sizes => ({ min: sizes[0]?.min ?? 0, max: (sizes[0]?.max ?? 0) * 4 }),
  }),
  define('bool(bool): bool', ([value]) => asBool(value)),
  define('bool(string): bool', ([value]) => boolOf(asText(value))),
  define('duration(google.protobuf.Duration): google.protobuf.Duration', ([value]) => asDuration(value)),
  define('duration(string): google.protobuf.Duration', ([value]) => durationOf(asText(value)), {
    ...parsing,
    check: ([text]) =>
      typeof text === 'string' && parseDuration(text) === undefined ? 'invalid duration argument' : undefined,
  }),
  define('timestamp(google.protobuf.Timestamp): google.protobuf.Timestamp', ([value]) => asTimestamp(value)),
  define('timestamp(int): google.protobuf.Timestamp', ([value]) => toMoment(asInt(value) * nanoseconds)),
  define('timestamp(string): google.protobuf.Timestamp', ([value]) => timestampOf(asText(value)), {
    ...parsing,
    check: ([text]) =>
      typeof text === 'string' && parseTimestamp(text) === undefined ? 'invalid timestamp argument' : undefined,
  }),
  define('dyn(T): dyn', ([value]) => asAny(value), { resultSize: sizeIs.first }),
  define('type(T): type<T>', ([value]) => ({ kind: 'type', name: typeNameOf(asAny(value)) })),
];

/** Reports a literal that cannot be converted at compile time. */
function checkingLiterals(overload: Overload): Overload {
  const check: Overload['check'] = literals => {
    const known = literals.filter(value => value !== undefined);
    try {
      if (known.length === literals.length) {
        overload.run(known, { charge() {}, work() {}, spent: () => 0 });
      }
      return undefined;
    } catch (error) {
      if (error instanceof EvaluationProblem) {
        return error.message;
      }
      throw error;
    }
  };
  return { ...overload, check: overload.check ?? check };
}

export const conversions: readonly Overload[] = converting.map(checkingLiterals);

function isZero(value: CelValue): boolean {
  switch (typeof value) {
    case 'boolean':
      return !value;
    case 'string':
      return value === '';
    case 'bigint':
      return value === 0n;
    case 'number':
      return value === 0;
    case 'object':
      return value === null || value instanceof Uint8Array ? (value?.length ?? 0) === 0 : isZeroObject(value);
  }
}

function isZeroObject(value: CelValue): boolean {
  if (isKind(value, 'list') || isKind(value, 'map')) {
    return value.size === 0;
  }
  if (isKind(value, 'duration')) {
    return value.nanoseconds === 0n;
  }
  return isKind(value, 'uint') ? value.value === 0n : false;
}

export const optionals: readonly Overload[] = [
  defineIn('optional', 'of(T): optional<T>', ([value]) => some(asAny(value))),
  defineIn('optional', 'none(): optional<T>', () => none),
  defineIn('optional', 'ofNonZeroValue(T): optional<T>', ([value]) =>
    isZero(asAny(value)) ? none : some(asAny(value)),
  ),
  define('optional<T>.hasValue(): bool', ([value]) => asOptional(value).value !== undefined),
  define('optional<T>.value(): T', ([value]) => {
    const inner = asOptional(value).value;
    if (inner === undefined) {
      throw new EvaluationProblem('optional.none() dereference');
    }
    return inner;
  }),
  define('optional<T>.orValue(T): T', ([value, other]) => asOptional(value).value ?? asAny(other)),
  define('optional<T>.or(optional<T>): optional<T>', ([value, other]) =>
    asOptional(value).value === undefined ? asOptional(other) : asOptional(value),
  ),
];
