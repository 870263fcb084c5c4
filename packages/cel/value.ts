// The values of expressions. JSON of an object is converted on access, according to the type in the schema. Integers
// are bigint, other numbers are number.
import type { Release } from '@capi-serverless/apimachinery/semver';
import type { CelType, ListIdentity } from './type.ts';

export interface ListValue {
  readonly kind: 'list';
  readonly size: number;
  readonly identity: ListIdentity;
  /** Returns undefined for an index out of bounds. */
  at(index: number): CelValue | undefined;
}

export interface MapValue {
  readonly kind: 'map';
  readonly size: number;
  get(key: CelValue): CelValue | undefined;
  keys(): readonly CelValue[];
}

interface UintValue {
  readonly kind: 'uint';
  readonly value: bigint;
}

export interface DurationValue {
  readonly kind: 'duration';
  readonly nanoseconds: bigint;
}

export interface TimestampValue {
  readonly kind: 'timestamp';
  /** The time since 1970. */
  readonly nanoseconds: bigint;
}

interface TypeValue {
  readonly kind: 'type';
  readonly name: string;
}

export interface OptionalValue {
  readonly kind: 'optional';
  /** If absent, there is no value. */
  readonly value?: CelValue;
}

/** The exact number of a quantity: digits × 10^exponent. */
export interface QuantityValue {
  readonly kind: 'quantity';
  readonly digits: bigint;
  readonly exponent: number;
}

export interface UrlValue {
  readonly kind: 'url';
  readonly text: string;
  readonly parts: UrlParts;
}

export interface UrlParts {
  readonly scheme: string;
  readonly host: string;
  readonly hostname: string;
  readonly port: string;
  readonly escapedPath: string;
  readonly query: ReadonlyMap<string, readonly string[]>;
}

export interface IpValue {
  readonly kind: 'ip';
  readonly family: 4 | 6;
  readonly bits: bigint;
}

export interface CidrValue {
  readonly kind: 'cidr';
  readonly ip: IpValue;
  readonly prefix: number;
}

export interface SemverValue extends Release {
  readonly kind: 'semver';
}

interface FormatValue {
  readonly kind: 'format';
  readonly name: string;
}

type ObjectLike =
  | ListValue
  | MapValue
  | UintValue
  | DurationValue
  | TimestampValue
  | TypeValue
  | OptionalValue
  | QuantityValue
  | UrlValue
  | IpValue
  | CidrValue
  | SemverValue
  | FormatValue;

export type CelValue = null | boolean | bigint | number | string | Uint8Array | ObjectLike;

/** An error of the expression on this value. It is reported unless `&&` or `||` has a result without this part. */
export class EvaluationProblem extends Error {
  override readonly name = 'EvaluationProblem';
}

export function isObjectLike(value: CelValue): value is ObjectLike {
  return typeof value === 'object' && value !== null && !(value instanceof Uint8Array);
}

export function isKind<K extends ObjectLike['kind']>(
  value: CelValue | undefined,
  kind: K,
): value is Extract<ObjectLike, { kind: K }> {
  return value !== undefined && isObjectLike(value) && value.kind === kind;
}

export const atomic: ListIdentity = { kind: 'atomic', keys: [] };

export function toList(items: readonly CelValue[]): ListValue {
  return { kind: 'list', size: items.length, identity: atomic, at: index => items[index] };
}

export function itemsOf(list: ListValue): readonly CelValue[] {
  const items: CelValue[] = [];
  for (let at = 0; at < list.size; at += 1) {
    const item = list.at(at);
    if (item !== undefined) {
      items.push(item);
    }
  }
  return items;
}

export const none: OptionalValue = { kind: 'optional' };

export function some(value: CelValue): OptionalValue {
  return { kind: 'optional', value };
}

/** Returns a key for JavaScript maps. It is the same for values that are equal in CEL: 1, 1u and 1.0. */
export function keyOf(key: CelValue): string {
  switch (typeof key) {
    case 'string':
      return `s${key}`;
    case 'boolean':
      return `b${key}`;
    case 'bigint':
      return `n${key}`;
    case 'number':
      return Number.isInteger(key) ? `n${BigInt(key)}` : `d${key}`;
    default:
      if (isKind(key, 'uint')) {
        return `n${key.value}`;
      }
      throw new EvaluationProblem(`unsupported key type: ${typeNameOf(key)}`);
  }
}

export function toMap(entries: readonly (readonly [CelValue, CelValue])[]): MapValue {
  const byKey = new Map(entries.map(([key, value]) => [keyOf(key), { key, value }]));
  return {
    kind: 'map',
    size: byKey.size,
    get: key => byKey.get(keyOf(key))?.value,
    keys: () => [...byKey.values()].map(({ key }) => key),
  };
}

/** Returns the name that `type(value)` prints. */
export function typeNameOf(value: CelValue): string {
  switch (typeof value) {
    case 'boolean':
      return 'bool';
    case 'bigint':
      return 'int';
    case 'number':
      return 'double';
    case 'string':
      return 'string';
    case 'object':
      return value === null ? 'null_type' : value instanceof Uint8Array ? 'bytes' : kindNames[value.kind];
  }
}

const kindNames: Readonly<Record<ObjectLike['kind'], string>> = {
  list: 'list',
  map: 'map',
  uint: 'uint',
  duration: 'google.protobuf.Duration',
  timestamp: 'google.protobuf.Timestamp',
  type: 'type',
  optional: 'optional_type',
  quantity: 'kubernetes.Quantity',
  url: 'kubernetes.URL',
  ip: 'net.IP',
  cidr: 'net.CIDR',
  semver: 'kubernetes.Semver',
  format: 'kubernetes.NamedFormat',
};

/** Returns true if the value is an instance of the type. */
export function isOfType(value: CelValue, type: CelType): boolean {
  switch (type.kind) {
    case 'param':
      return true;
    case 'scalar':
      return type.name === 'dyn' || type.name === 'any' || typeNameOf(value) === type.name;
    case 'list':
      return isKind(value, 'list');
    case 'map':
    case 'object':
      return isKind(value, 'map');
    case 'optional':
      return isKind(value, 'optional');
    case 'type':
      return isKind(value, 'type');
  }
}

/** Returns the number of characters, bytes, elements or members. Returns 1 for other values. */
export function sizeOf(value: CelValue): number {
  if (typeof value === 'string' || value instanceof Uint8Array) {
    return value.length;
  }
  return isKind(value, 'list') || isKind(value, 'map') ? value.size : 1;
}
