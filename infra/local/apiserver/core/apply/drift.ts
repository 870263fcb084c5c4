// Sets of fields that were recorded when the schema merged by parts what it now takes in one piece.
import { type Branch, branchesOf, type FieldSet, type Fields, isMember, leaf, nodeOf } from './field-set.ts';
import { deduced, type MergeType } from './merge-type.ts';
import { memberType } from './value-shape.ts';

/** Sets are shared by many versions of an object, and schemas seldom change. */
const settled = new WeakMap<FieldSet, MergeType>();

/** The set in terms of this type: whoever owned a part of what is one piece now owns the piece. The other way round nothing is known of parts. */
export function inTermsOf(type: MergeType, set: Fields): Fields {
  if (set === undefined || settled.get(set) === type) {
    return set;
  }
  const next = collapsed(type, set);
  settled.set(next, type);
  return next;
}

function collapsed(type: MergeType, set: FieldSet): FieldSet {
  let changed = false;
  const branches: Branch[] = [];
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

/** `undefined`: what the element leads into is one piece. */
function typeBelow({ map, list }: MergeType, element: string): MergeType | undefined {
  if (element.startsWith('f:')) {
    return map === undefined ? deduced : map.atomic ? undefined : memberType(map, element.slice(2));
  }
  return list === undefined ? deduced : list.merge === 'atomic' ? undefined : list.items;
}
