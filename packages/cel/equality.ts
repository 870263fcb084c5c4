// Equality and order of values.
// https://github.com/google/cel-spec/blob/master/doc/langdef.md#equality
import type { RuleMeter } from './budget.ts';
import {
  type CelValue,
  EvaluationProblem,
  isKind,
  isObjectLike,
  itemsOf,
  keyOf,
  type ListValue,
  type MapValue,
  type QuantityValue,
  typeNameOf,
} from './value.ts';

/** Values below this depth are not compared. */
const deepest = 500;

/** Charges each compared element below the top level. */
export function isEqual(left: CelValue, right: CelValue, meter: RuleMeter, depth = 0): boolean {
  if (depth > deepest) {
    throw new EvaluationProblem('values nest too deeply to be compared');
  }
  if (isNumeric(left) && isNumeric(right)) {
    return compareNumbers(left, right) === 0;
  }
  if (left instanceof Uint8Array && right instanceof Uint8Array) {
    chargeShorter(left, right, meter);
    return left.length === right.length && left.every((byte, index) => byte === right[index]);
  }
  if (typeof left === 'string' && typeof right === 'string') {
    chargeShorter(left, right, meter);
  }
  if (left === null || right === null || !isObjectLike(left) || !isObjectLike(right)) {
    return left === right;
  }
  const below = (one: CelValue, other: CelValue): boolean => {
    meter.charge(1);
    return isEqual(one, other, meter, depth + 1);
  };
  if (isKind(left, 'list') && isKind(right, 'list')) {
    return sameLists(left, right, { same: below, meter });
  }
  if (isKind(left, 'map') && isKind(right, 'map')) {
    return sameMaps(left, right, below);
  }
  if (isKind(left, 'optional') && isKind(right, 'optional')) {
    return left.value === undefined || right.value === undefined
      ? left.value === right.value
      : below(left.value, right.value);
  }
  return left.kind === right.kind && identifying(left, meter) === identifying(right, meter);
}

/** The comparison of short texts and bytes is included in the step of their operation. */
const comparedPerStep = 64;

function chargeShorter(left: string | Uint8Array, right: string | Uint8Array, meter: RuleMeter): void {
  meter.charge(Math.floor(Math.min(left.length, right.length) / comparedPerStep));
}

type Same = (left: CelValue, right: CelValue) => boolean;

function sameLists(left: ListValue, right: ListValue, { same, meter }: { same: Same; meter: RuleMeter }): boolean {
  if (left.size !== right.size) {
    return false;
  }
  if (left.identity.kind === 'atomic') {
    const others = itemsOf(right);
    return itemsOf(left).every((item, index) => {
      const other = others[index];
      return other !== undefined && same(item, other);
    });
  }
  const others = new Map(itemsOf(right).map(item => [identityIn(left, item, meter), item]));
  return itemsOf(left).every(item => {
    const other = others.get(identityIn(left, item, meter));
    return other !== undefined && same(item, other);
  });
}

/** Returns the identity of the item in its list. */
export function identityIn(list: ListValue, item: CelValue, meter: RuleMeter): string {
  if (list.identity.kind !== 'map' || !isKind(item, 'map')) {
    return textOf(item, meter);
  }
  return JSON.stringify(list.identity.keys.map(key => textOf(item.get(key) ?? null, meter)));
}

/** Charges nested values and long texts, because the items of computed lists may reference them many times. */
function textOf(value: CelValue, meter: RuleMeter): string {
  const isPlain = !(value === null || isObjectLike(value) || value instanceof Uint8Array);
  const text = isPlain ? keyOf(value) : identifying(value, meter);
  meter.charge(Math.floor(text.length / comparedPerStep));
  return text;
}

function sameMaps(left: MapValue, right: MapValue, same: Same): boolean {
  return (
    left.size === right.size &&
    left.keys().every(key => {
      const one = left.get(key);
      const other = right.get(key);
      return one !== undefined && other !== undefined && same(one, other);
    })
  );
}

/** Returns the same text for equal values, for kinds without members. */
function identifying(value: CelValue, meter: RuleMeter): string {
  if (value === null || value instanceof Uint8Array || !isObjectLike(value)) {
    return String(value);
  }
  switch (value.kind) {
    case 'duration':
    case 'timestamp':
      return `${value.kind} ${value.nanoseconds}`;
    case 'type':
    case 'format':
      return `${value.kind} ${value.name}`;
    case 'quantity':
      return `quantity ${normalized(value)}`;
    case 'url':
      return `url ${value.text}`;
    case 'ip':
      return `ip ${value.family} ${value.bits}`;
    case 'cidr':
      return `cidr ${value.ip.family} ${value.ip.bits}/${value.prefix}`;
    case 'semver':
      return `semver ${value.major}.${value.minor}.${value.patch}-${value.prerelease.join('.')}`;
    case 'uint':
      return keyOf(value);
    case 'list':
      meter.charge(value.size);
      return `[${itemsOf(value)
        .map(item => textOf(item, meter))
        .join()}]`;
    case 'map':
      meter.charge(value.size);
      return `{${value
        .keys()
        .map(key => `${keyOf(key)}:${textOf(value.get(key) ?? null, meter)}`)
        .sort()
        .join()}}`;
    case 'optional':
      return `optional ${value.value === undefined ? '' : textOf(value.value, meter)}`;
  }
}

function normalized({ digits, exponent }: QuantityValue): string {
  if (digits === 0n) {
    return '0';
  }
  const text = String(digits);
  const short = text.replace(/(?<!0)0+$/, '');
  return `${short}e${exponent + text.length - short.length}`;
}

type Numeric = bigint | number | { readonly kind: 'uint'; readonly value: bigint };

function isNumeric(value: CelValue): value is Numeric {
  return typeof value === 'bigint' || typeof value === 'number' || isKind(value, 'uint');
}

function compareNumbers(left: Numeric, right: Numeric): number | undefined {
  const one = typeof left === 'object' ? left.value : left;
  const other = typeof right === 'object' ? right.value : right;
  return one < other ? -1 : one > other ? 1 : one <= other ? 0 : undefined;
}

/** Returns a negative number, zero, a positive number, or undefined for NaN. Throws for values without an order. */
export function compare(left: CelValue, right: CelValue, meter: RuleMeter): number | undefined {
  if (isNumeric(left) && isNumeric(right)) {
    return compareNumbers(left, right);
  }
  if (typeof left === 'string' && typeof right === 'string') {
    chargeShorter(left, right, meter);
    return compareTexts(left, right);
  }
  if (typeof left === 'boolean' && typeof right === 'boolean') {
    return Number(left) - Number(right);
  }
  if (left instanceof Uint8Array && right instanceof Uint8Array) {
    chargeShorter(left, right, meter);
    return compareBytes(left, right);
  }
  const one = momentOf(left);
  const other = momentOf(right);
  if (one === undefined || other === undefined || typeNameOf(left) !== typeNameOf(right)) {
    throw new EvaluationProblem('no such overload');
  }
  return one < other ? -1 : one > other ? 1 : 0;
}

function momentOf(value: CelValue): bigint | undefined {
  return isKind(value, 'duration') || isKind(value, 'timestamp') ? value.nanoseconds : undefined;
}

/** Compares by code points, which is the order of UTF-8 bytes. JavaScript compares UTF-16 units. */
function compareTexts(left: string, right: string): number {
  const end = Math.min(left.length, right.length);
  for (let at = 0; at < end; at += 1) {
    if (left.charCodeAt(at) !== right.charCodeAt(at)) {
      return (left.codePointAt(at) ?? 0) - (right.codePointAt(at) ?? 0);
    }
  }
  return left.length - right.length;
}

function compareBytes(left: Uint8Array, right: Uint8Array): number {
  const at = left.findIndex((byte, index) => byte !== right[index]);
  return at < 0 || at >= right.length ? left.length - right.length : (left[at] ?? 0) - (right[at] ?? 0);
}
