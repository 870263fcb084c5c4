// Adjusts field sets that were recorded before the schema made a value atomic.
import {
  branchesOf,
  type FieldBranch,
  type FieldSet,
  isMember,
  leaf,
  nodeOf,
  type OptionalFieldSet,
} from './field-set.ts';
import { deduced, type MergeType } from './merge-type.ts';
import { memberType } from './value-shape.ts';

/** The result is cached, because many versions of an object have the same set and schemas seldom change. */
const settled = new WeakMap<FieldSet, MergeType>();

/**
 * Returns the set under this type. An owner of a part of a value that is now atomic owns the value. The opposite change
 * cannot be mapped.
 */
export function inTermsOf(type: MergeType, set: OptionalFieldSet): OptionalFieldSet {
  if (set === undefined || settled.get(set) === type) {
    return set;
  }
  const next = collapsed(type, set);
  settled.set(next, type);
  return next;
}

function collapsed(type: MergeType, set: FieldSet): FieldSet {
  let changed = false;
  const branches: FieldBranch[] = [];
  for (const [element, below] of branchesOf(set)) {
    const inner = typeBelow(type, element);
    if (inner === undefined) {
      return leaf;
    }
    const next = collapsed(inner, below);
    changed ||= next !== below;
    branches.push([element, next]);
  }
  return changed ? (nodeOf(isMember(set), branches) ?? leaf) : set;
}

/** Returns `undefined` if the element is inside an atomic value. */
function typeBelow({ map, list }: MergeType, element: string): MergeType | undefined {
  if (element.startsWith('f:')) {
    return map === undefined ? deduced : map.atomic ? undefined : memberType(map, element.slice(2));
  }
  return list === undefined ? deduced : list.merge === 'atomic' ? undefined : list.items;
}
