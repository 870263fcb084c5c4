// Struct fields in field sets.
import {
  asMember,
  branchesOf,
  type FieldBranch,
  type FieldSet,
  isMember,
  nodeOf,
  type OptionalFieldSet,
} from './field-set.ts';
import { deduced, type MergeType } from './merge-type.ts';
import { memberType } from './value-shape.ts';

interface Known {
  readonly type: MergeType;
  readonly whole: FieldSet;
}

/** A cache, because each apply uses the stored sets again. */
const known = new WeakMap<FieldSet, Known>();

/**
 * Returns the set with each struct field above one of its paths. Such a field is removed with the last path below it.
 */
export function withStructs(type: MergeType, set: OptionalFieldSet): OptionalFieldSet {
  if (set === undefined) {
    return undefined;
  }
  const before = known.get(set);
  const whole = before?.type === type ? before.whole : filled(type, set);
  known.set(set, { type, whole });
  return whole;
}

function filled(type: MergeType, set: FieldSet): FieldSet {
  let changed = false;
  const branches = branchesOf(set).map(([element, below]): FieldBranch => {
    const name = element.slice(2);
    const isField = element.startsWith('f:');
    const inner = filled(typeBelow(type, isField, name), below);
    const node = isField && type.map?.fields.has(name) === true ? asMember(inner) : inner;
    changed ||= node !== below;
    return [element, node];
  });
  return changed ? (nodeOf(isMember(set), branches) ?? set) : set;
}

function typeBelow({ map, list }: MergeType, isField: boolean, name: string): MergeType {
  if (isField) {
    return map === undefined ? deduced : memberType(map, name);
  }
  return list?.items ?? deduced;
}
