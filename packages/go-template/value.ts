// Values of templates: JSON values and results of functions. Numbers of JSON are float64.

/** Go's integer types in template functions. */
type IntType = 'int' | 'int64' | 'int32' | 'uint8' | 'uint32' | 'uint64';

export class Int {
  readonly type: IntType;
  readonly value: bigint;

  constructor(type: IntType, value: bigint) {
    this.type = type;
    this.value = value;
  }
}

export class List {
  /** The element type in Go: `interface {}` or `string`. */
  readonly element: string;
  readonly items: readonly TemplateValue[];
  /** Whether the slice is nil in Go. A nil slice is empty, and null in JSON. */
  readonly isNil: boolean;

  constructor(items: readonly TemplateValue[], element = anyType, isNil = false) {
    this.items = items;
    this.element = element;
    this.isNil = isNil;
  }
}

/** The map is mutable, because functions change maps in place. */
export class Dict {
  readonly element: string;
  readonly entries: Map<string, TemplateValue>;
  /** Whether the map is nil in Go. A nil map is empty and cannot be changed. */
  readonly isNil: boolean;

  constructor(entries: Map<string, TemplateValue>, element = anyType, isNil = false) {
    this.entries = entries;
    this.element = element;
    this.isNil = isNil;
  }
}

/** A value of a Go type with methods or fields, such as a version. */
export class Opaque {
  readonly type: string;
  readonly kind: 'ptr' | 'struct';
  /** The state for the methods. Only the functions that created it read it. */
  readonly content: unknown;
  /** The text that a template prints. */
  readonly text: string;
  /** The text in JSON. */
  readonly json: string;
  readonly methods: Methods;

  constructor(of: Omit<Opaque, 'kind' | 'json'> & { readonly kind?: 'ptr' | 'struct'; readonly json?: string }) {
    this.type = of.type;
    this.kind = of.kind ?? 'struct';
    this.content = of.content;
    this.text = of.text;
    this.json = of.json ?? of.text;
    this.methods = of.methods;
  }
}

interface Method {
  /** The parameter types in Go. */
  readonly params: readonly Param[];
  readonly run: (args: readonly TemplateValue[], meter: { spend(steps: number): void }) => TemplateValue;
}
export type Methods = Readonly<Record<string, Method>>;

/** Go's parameter types. `value` accepts any value, including a missing one. */
export type Param =
  | 'any'
  | 'value'
  | 'string'
  | 'bool'
  | 'int'
  | 'int64'
  | 'uint32'
  | 'float64'
  | 'dict'
  | 'list'
  | 'time'
  | 'version'
  | 'certificate';

/** undefined is a missing value, such as an absent map key. null is a value. */
export type TemplateValue = undefined | null | boolean | string | number | Int | List | Dict | Opaque;

export const anyType = 'interface {}';

export function int(value: number | bigint, type: IntType = 'int'): Int {
  return new Int(type, BigInt(value));
}

export function int64(value: bigint): Int {
  return new Int('int64', BigInt.asIntN(64, value));
}

export function strings(items: readonly string[]): List {
  return new List(items, 'string');
}

/** Returns a list that is nil in Go if it is empty. */
export function listOrNil(items: readonly TemplateValue[], element = anyType): List {
  return new List(items, element, items.length === 0);
}

/** The units of a common meter for one JSON value, and the characters of a text that are read in one unit. */
const unitsPerValue = 16;
const readPerUnit = 16;

/**
 * Converts decoded JSON. Throws for other values, and for JSON deeper than API servers accept. `charge` receives the
 * work of each value, in units of a common meter, before it is done.
 */
export function toValue(json: unknown, charge?: (units: number) => void, depth = 0): TemplateValue {
  charge?.(unitsPerValue);
  if (json === null || json === undefined) {
    return null;
  }
  if (typeof json === 'string') {
    charge?.(json.length / readPerUnit);
    return json.toWellFormed();
  }
  if (typeof json === 'boolean' || typeof json === 'number') {
    return json;
  }
  if (depth > deepestData || typeof json !== 'object') {
    throw new TypeError(`data of templates must be JSON of at most ${deepestData} levels, not ${typeof json}`);
  }
  if (Array.isArray(json)) {
    return new List(json.map(item => toValue(item, charge, depth + 1)));
  }
  return new Dict(
    new Map(
      Object.entries(json)
        .filter(([, value]) => value !== undefined)
        .map(([key, value]) => [key, toValue(value, charge, depth + 1)]),
    ),
  );
}

const deepestData = 1000;

/** Returns the name of the value's type in Go. */
export function typeOf(value: TemplateValue): string {
  if (value === null || value === undefined) {
    return '<nil>';
  }
  if (value instanceof Int || value instanceof Opaque) {
    return value.type;
  }
  if (value instanceof List) {
    return `[]${value.element}`;
  }
  if (value instanceof Dict) {
    return `map[string]${value.element}`;
  }
  return typeof value === 'number' ? 'float64' : typeof value === 'boolean' ? 'bool' : 'string';
}

export function kindOf(value: TemplateValue): string {
  if (value === null || value === undefined) {
    return 'invalid';
  }
  if (value instanceof List) {
    return 'slice';
  }
  if (value instanceof Dict) {
    return 'map';
  }
  return value instanceof Opaque ? value.kind : typeOf(value);
}

/** Returns true if the value is true in a condition. */
export function isTrue(value: TemplateValue): boolean {
  if (value === null || value === undefined) {
    return false;
  }
  if (value instanceof Int) {
    return value.value !== 0n;
  }
  if (value instanceof List) {
    return value.items.length > 0;
  }
  if (value instanceof Dict) {
    return value.entries.size > 0;
  }
  return (
    value instanceof Opaque ||
    (typeof value === 'number' ? value !== 0 : value === true || (value !== false && value !== ''))
  );
}
