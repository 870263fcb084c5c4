// The interpreter of the rules. It converts one value by the types of both versions.
import { isJsonObject, memberOf, setMember, withoutUndefined } from '@capi-serverless/apimachinery';
import { isZero, type Struct, zeroOf } from './codec.ts';
import type { Conversion } from './conversion.ts';
import { toFailureDomainList, toFailureDomainMap } from './failure-domains.ts';
import { pathBelow, valueAtPath, withoutPath, withPath } from './paths.ts';
import { toContractReference, toObjectReference } from './references.ts';
import { restoredItem } from './restored-item.ts';
import type { FieldRule } from './rule.ts';
import type { FieldType } from './shape.ts';

/** The newer version has seconds of 32 bits. */
const mostSeconds = 2 ** 31 - 1;

interface Types {
  readonly from: FieldType;
  readonly to: FieldType;
}

/** A rule in the direction of the conversion. */
interface Move {
  readonly rule: FieldRule['rule'];
  readonly from: readonly string[];
  readonly to: readonly string[];
}

/** Converts a struct. `restored` is the same struct of the newer version in the annotation. */
export function convertStruct(
  conversion: Conversion,
  names: { readonly from: string; readonly to: string },
  value: Struct,
  restored: unknown,
): Struct {
  const { book } = conversion;
  const moves = movesOf(conversion, names);
  let result: Struct = {};
  for (const { rule, from, to } of moves) {
    const types = { from: book.typeAt(names.from, from), to: book.typeAt(names.to, to) };
    const left = withoutTaken(valueAtPath(value, from), from, moves);
    const kept = valueAtPath(restored, conversion.to === 'newer' ? to : from);
    const converted = convertField(conversion, rule, types, left, kept);
    if (converted !== undefined) {
      result = withPath(result, to, converted);
    }
  }
  return result;
}

/** The fields with the same name come first, because rules set fields inside them. */
function movesOf(
  { book, rules, to }: Conversion,
  names: { readonly from: string; readonly to: string },
): readonly Move[] {
  const [older, newer] = to === 'newer' ? [names.from, names.to] : [names.to, names.from];
  const declared = rules[`${older} ${newer}`] ?? [];
  const isDeclared = (name: string): boolean =>
    declared.some(rule => [rule.older, rule.newer].some(([first, ...rest]) => first === name && rest.length === 0));
  const target = book.fieldsOf(names.to);
  const common = [...book.fieldsOf(names.from).keys()].filter(name => target.has(name) && !isDeclared(name));
  return [
    ...common.map((name): Move => ({ rule: 'move', from: [name], to: [name] })),
    ...declared.map(
      ({ rule, older: old, newer: young }): Move =>
        to === 'newer' ? { rule, from: old, to: young } : { rule, from: young, to: old },
    ),
  ];
}

/** A field inside this value that another rule moves does not belong to this value. */
function withoutTaken(value: unknown, path: readonly string[], moves: readonly Move[]): unknown {
  if (!isJsonObject(value)) {
    return value;
  }
  const left = moves.reduce<Struct>((struct, { from }) => {
    const taken = pathBelow(from, path);
    return taken === undefined ? struct : withoutPath(struct, taken);
  }, value);
  return left !== value && Object.keys(left).length === 0 ? undefined : left;
}

/** Returns `undefined` if the field is absent in the other version. */
function convertField(
  conversion: Conversion,
  rule: FieldRule['rule'],
  types: Types,
  value: unknown,
  restored: unknown,
): unknown {
  const isUp = conversion.to === 'newer';
  switch (rule) {
    case 'restore':
      return isUp && value === undefined && restored === zeroOf(types.from)
        ? restored
        : isUp
          ? value
          : convertMember(conversion, types, value, restored);
    case 'failureDomains':
      return isUp ? toFailureDomainList(value) : toFailureDomainMap(value);
    case 'phase':
      return !isUp && value === 'Updating' ? 'Running' : value;
    case 'moveItems':
      return isEmptyList(value) ? undefined : convertMember(conversion, types, value, restored);
    case 'template':
      return isUp
        ? convertMember(conversion, types, value, restored)
        : convertValue(conversion, { from: types.from, to: pointedTo(types.to) }, value ?? {}, restored);
    case 'move':
      return convertMember(conversion, types, value, restored);
  }
}

function isEmptyList(value: unknown): boolean {
  return Array.isArray(value) && value.length === 0;
}

function pointedTo(type: FieldType): FieldType {
  return type.is === 'pointer' ? type.of : type;
}

/** Converts the value of a field. An absent value may have a counterpart, for example an optional number 0. */
function convertMember(conversion: Conversion, types: Types, value: unknown, restored: unknown): unknown {
  const { from, to } = types;
  if (value === undefined && (from.is === 'pointer' || (to.is === 'pointer' && !isKept(conversion, from)))) {
    return undefined;
  }
  const converted = convertValue(conversion, types, value === undefined ? zeroOf(from) : value, restored);
  return isZero(to, converted) ? undefined : converted;
}

/** A number or boolean of the older version that cannot be absent is always there in the newer version. */
function isKept({ to }: Conversion, { is }: FieldType): boolean {
  return to === 'newer' && (is === 'bool' || is === 'duration' || is === 'int');
}

function convertValue(conversion: Conversion, { from, to }: Types, value: unknown, restored: unknown): unknown {
  if (from.is === 'pointer') {
    return value === null
      ? zeroOf(to)
      : convertValue(conversion, { from: from.of, to: pointedTo(to) }, value, restored);
  }
  if (to.is === 'pointer') {
    return isZero(from, value) && !isKept(conversion, from)
      ? null
      : convertValue(conversion, { from, to: to.of }, value, restored);
  }
  if (from.is === 'struct' && to.is === 'struct') {
    // True: structs are decoded to objects.
    return convertNamed(conversion, { from: from.name, to: to.name }, value as Struct, restored);
  }
  if (from.is === 'list' && to.is === 'list') {
    return convertList(conversion, { from: from.of, to: to.of }, value, restored);
  }
  if (from.is === 'map' && to.is === 'map') {
    return convertMap(conversion, { from: from.of, to: to.of }, value, restored);
  }
  return from.is === 'duration' ? Math.min(Number(value), mostSeconds) : value;
}

function convertList(conversion: Conversion, types: Types, value: unknown, restored: unknown): unknown {
  return Array.isArray(value)
    ? value.map((item, index) => convertValue(conversion, types, item, restoredItem(types, value, index, restored)))
    : value;
}

function convertMap(conversion: Conversion, types: Types, value: unknown, restored: unknown): unknown {
  if (!isJsonObject(value)) {
    return value;
  }
  const converted: Record<string, unknown> = {};
  for (const [key, item] of Object.entries(value)) {
    setMember(converted, key, convertValue(conversion, types, item, memberOf(restored, key)));
  }
  return converted;
}

const objectReference = 'v1.ObjectReference';
const contractReference = 'v1beta2.ContractVersionedObjectReference';
const nodeReference = 'v1beta2.MachineNodeReference';

/** References have conversions of their own. All other structs are converted by their fields. */
function convertNamed(
  conversion: Conversion,
  names: { readonly from: string; readonly to: string },
  value: Struct,
  restored: unknown,
): Struct {
  const { from, to } = names;
  if (to === contractReference) {
    return toContractReference(value);
  }
  if (from === contractReference) {
    return toObjectReference(value, conversion);
  }
  const converted = convertStruct(conversion, names, value, restored);
  if (from === nodeReference) {
    return { ...converted, apiVersion: 'v1', kind: 'Node' };
  }
  return to === objectReference && from !== objectReference
    ? { ...converted, ...withoutUndefined({ namespace: conversion.namespace }) }
    : converted;
}
