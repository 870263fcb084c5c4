// The types of CEL expressions, with the bounds of strings, lists and maps from a schema.
// https://github.com/google/cel-spec/blob/master/doc/langdef.md#gradual-type-checking

type ScalarName =
  | 'any'
  | 'dyn'
  | 'bool'
  | 'int'
  | 'uint'
  | 'double'
  | 'string'
  | 'bytes'
  | 'null_type'
  | 'google.protobuf.Duration'
  | 'google.protobuf.Timestamp'
  | 'kubernetes.Quantity'
  | 'kubernetes.URL'
  | 'kubernetes.Semver'
  | 'kubernetes.NamedFormat'
  | 'net.IP'
  | 'net.CIDR';

/** The list type of `x-kubernetes-list-type`. It determines equality and concatenation of lists. */
export interface ListIdentity {
  readonly kind: 'atomic' | 'set' | 'map';
  readonly keys: readonly string[];
}

export interface ObjectField {
  /** The name in the object. The name in expressions may be escaped. */
  readonly name: string;
  readonly type: CelType;
}

/** `max` is the maximum number of bytes or elements. 'any' is the element type of an empty list. */
export type CelType =
  | { readonly kind: 'scalar'; readonly name: ScalarName; readonly max?: number }
  | { readonly kind: 'list'; readonly of: CelType; readonly max?: number; readonly identity?: ListIdentity }
  | { readonly kind: 'map'; readonly key: CelType; readonly of: CelType; readonly max?: number }
  | { readonly kind: 'object'; fields(): ReadonlyMap<string, ObjectField> }
  | { readonly kind: 'optional'; readonly of: CelType }
  | { readonly kind: 'type'; readonly of: CelType }
  | { readonly kind: 'param'; readonly name: string };

const scalarNames: readonly ScalarName[] = [
  'any',
  'dyn',
  'bool',
  'int',
  'uint',
  'double',
  'string',
  'bytes',
  'null_type',
  'google.protobuf.Duration',
  'google.protobuf.Timestamp',
  'kubernetes.Quantity',
  'kubernetes.URL',
  'kubernetes.Semver',
  'kubernetes.NamedFormat',
  'net.IP',
  'net.CIDR',
];

export function scalar(name: ScalarName, max?: number): CelType {
  return max === undefined ? { kind: 'scalar', name } : { kind: 'scalar', name, max };
}

export const dyn = scalar('dyn');
export const any = scalar('any');
export const bool = scalar('bool');
export const int = scalar('int');
export const uint = scalar('uint');
export const double = scalar('double');
export const bytes = scalar('bytes');
export const nullType = scalar('null_type');

export function listOf(of: CelType): CelType {
  return { kind: 'list', of };
}

export function mapOf(key: CelType, of: CelType): CelType {
  return { kind: 'map', key, of };
}

export function optionalOf(of: CelType): CelType {
  return { kind: 'optional', of };
}

export function isScalar(type: CelType, ...names: readonly ScalarName[]): boolean {
  return type.kind === 'scalar' && names.includes(type.name);
}

/** Returns true if the type is known only at run time. */
export function isDynamic(type: CelType): boolean {
  return isScalar(type, 'dyn', 'any') || type.kind === 'param';
}

/**
 * Returns a type by its name in expressions and signatures: `list<T>`, `map<string, int>`. Single capital letters are
 * type parameters.
 */
export function parseType(text: string): CelType {
  const name = text.trim();
  const generic = /^(list|map|optional|type)<(.*)>$/.exec(name);
  if (generic === null) {
    const known = scalarNames.find(each => each === name);
    return known === undefined ? { kind: 'param', name } : scalar(known);
  }
  const [first, second] = splitTypes(generic[2] ?? '').map(parseType);
  switch (generic[1]) {
    case 'list':
      return listOf(first ?? dyn);
    case 'map':
      return mapOf(first ?? dyn, second ?? dyn);
    case 'optional':
      return optionalOf(first ?? dyn);
    default:
      return { kind: 'type', of: first ?? dyn };
  }
}

/** Splits at commas outside angle brackets. */
export function splitTypes(text: string): readonly string[] {
  const parts: string[] = [];
  let depth = 0;
  let start = 0;
  for (let at = 0; at <= text.length; at += 1) {
    const char = text[at];
    depth += char === '<' ? 1 : char === '>' ? -1 : 0;
    if (char === undefined || (char === ',' && depth === 0)) {
      parts.push(text.slice(start, at));
      start = at + 1;
    }
  }
  return parts.filter(part => part.trim() !== '');
}

export function formatType(type: CelType): string {
  switch (type.kind) {
    case 'scalar':
      return type.name === 'any' ? 'dyn' : type.name === 'null_type' ? 'null' : type.name;
    case 'list':
      return `list(${formatType(type.of)})`;
    case 'map':
      return `map(${formatType(type.key)}, ${formatType(type.of)})`;
    case 'object':
      return 'object';
    case 'optional':
      return `optional_type(${formatType(type.of)})`;
    case 'type':
      return `type(${formatType(type.of)})`;
    case 'param':
      return 'dyn';
  }
}

export type Bindings = Map<string, CelType>;

/** Returns true if a value of `actual` is assignable to `expected`. Binds the type parameters of `expected`. */
export function accepts(expected: CelType, actual: CelType, bindings: Bindings): boolean {
  if (expected.kind === 'param') {
    return bind(expected.name, actual, bindings);
  }
  if (isDynamic(actual) || isDynamic(expected)) {
    return true;
  }
  if (isScalar(actual, 'null_type')) {
    return isNullable(expected);
  }
  switch (expected.kind) {
    case 'scalar':
      return actual.kind === 'scalar' && actual.name === expected.name;
    case 'list':
      return actual.kind === 'list' && accepts(expected.of, actual.of, bindings);
    case 'map':
      return (
        actual.kind === 'map' &&
        accepts(expected.key, actual.key, bindings) &&
        accepts(expected.of, actual.of, bindings)
      );
    case 'object':
      return actual.kind === 'object' && actual.fields() === expected.fields();
    case 'optional':
      return actual.kind === 'optional' && accepts(expected.of, actual.of, bindings);
    case 'type':
      return actual.kind === 'type';
  }
}

function bind(name: string, actual: CelType, bindings: Bindings): boolean {
  const bound = bindings.get(name);
  const joined = bound === undefined ? actual : join(bound, actual);
  if (joined === undefined) {
    return false;
  }
  bindings.set(name, joined);
  return true;
}

function isNullable(type: CelType): boolean {
  return !isScalar(type, 'bool', 'int', 'uint', 'double', 'string', 'bytes') && !['list', 'map'].includes(type.kind);
}

/** Returns the common type of two types, or undefined if there is none. */
export function join(left: CelType, right: CelType): CelType | undefined {
  if (isScalar(left, 'any') || isScalar(right, 'any')) {
    return isScalar(left, 'any') ? right : left;
  }
  if (isDynamic(left) || isDynamic(right)) {
    return dyn;
  }
  if (isScalar(left, 'null_type') && isNullable(right)) {
    return right;
  }
  return joinParts(left, right) ?? (accepts(left, right, new Map()) ? widest(left, right) : undefined);
}

function joinParts(left: CelType, right: CelType): CelType | undefined {
  if (left.kind === 'list' && right.kind === 'list') {
    const of = join(left.of, right.of);
    return of === undefined ? undefined : withMax({ kind: 'list', of }, left.max, right.max);
  }
  if (left.kind === 'map' && right.kind === 'map') {
    const key = join(left.key, right.key);
    const of = join(left.of, right.of);
    return key === undefined || of === undefined ? undefined : withMax({ kind: 'map', key, of }, left.max, right.max);
  }
  if (left.kind === 'optional' && right.kind === 'optional') {
    const of = join(left.of, right.of);
    return of === undefined ? undefined : optionalOf(of);
  }
  return undefined;
}

function withMax<T extends CelType>(type: T, left: number | undefined, right: number | undefined): T {
  return left === undefined || right === undefined ? type : { ...type, max: Math.max(left, right) };
}

function widest(left: CelType, right: CelType): CelType {
  return left.kind === 'scalar' && right.kind === 'scalar' ? withMax(scalar(left.name), left.max, right.max) : left;
}

/** Returns the type with its parameters substituted. Unbound parameters become `any`. */
export function substitute(type: CelType, bindings: Bindings): CelType {
  switch (type.kind) {
    case 'param':
      return bindings.get(type.name) ?? any;
    case 'list':
      return { ...type, of: substitute(type.of, bindings) };
    case 'map':
      return { ...type, key: substitute(type.key, bindings), of: substitute(type.of, bindings) };
    case 'optional':
    case 'type':
      return { ...type, of: substitute(type.of, bindings) };
    case 'scalar':
    case 'object':
      return type;
  }
}
