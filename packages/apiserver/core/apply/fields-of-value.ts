// The fields that a value sets.
import { isJsonObject } from '@capi-serverless/apimachinery';
import { asMember, type FieldBranch, type FieldSet, leaf, nodeOf, type OptionalFieldSet } from './field-set.ts';
import type { MergeType } from './merge-type.ts';
import { fieldElement } from './path-element.ts';
import { itemsByElement, memberType, shapeOf } from './value-shape.ts';

/**
 * Returns the fields that an apply of the value owns: leaves, list items and map members. A struct field that only
 * contains such fields is not owned.
 */
export function fieldsOf(type: MergeType, value: unknown): OptionalFieldSet {
  const shape = shapeOf(type, value);
  switch (shape.kind) {
    case 'leaf':
      return isEmptyContainer(type, value) ? undefined : leaf;
    case 'list': {
      const items = [...itemsByElement(shape.type, shape.items)];
      return nodeOf(
        false,
        items.map(([element, [item]]): FieldBranch => [element, asMember(fieldsOf(shape.type.items, item))]),
      );
    }
    case 'map': {
      const { type: map, members } = shape;
      const branches = Object.entries(members).flatMap(([name, member]): readonly FieldBranch[] => {
        const below = fieldsOf(memberType(map, name), member);
        const node = isLeafMember(member) || !map.fields.has(name) ? asMember(below) : below;
        return node === undefined ? [] : [[fieldElement(name), node]];
      });
      return nodeOf(false, branches);
    }
  }
}

/** An empty list or map that is merged by its parts has no part that can be owned. Null is owned as a member. */
function isEmptyContainer(type: MergeType, value: unknown): boolean {
  if (Array.isArray(value)) {
    return type.list !== undefined && type.list.merge !== 'atomic';
  }
  return isJsonObject(value) && type.map !== undefined && !type.map.atomic;
}

function isLeafMember(member: unknown): boolean {
  return member === null || (isJsonObject(member) && Object.keys(member).length === 0);
}

/** Returns every path of the value, including containers. These are the fields that a new value adds. */
export function allFieldsOf(type: MergeType, value: unknown): FieldSet {
  const shape = shapeOf(type, value);
  switch (shape.kind) {
    case 'leaf':
      return leaf;
    case 'list': {
      const items = [...itemsByElement(shape.type, shape.items)];
      const branches = items.map(([element, [item]]): FieldBranch => [element, allFieldsOf(shape.type.items, item)]);
      return nodeOf(true, branches) ?? leaf;
    }
    case 'map': {
      const { type: map, members } = shape;
      const branches = Object.entries(members).map(
        ([name, member]): FieldBranch => [fieldElement(name), allFieldsOf(memberType(map, name), member)],
      );
      return nodeOf(true, branches) ?? leaf;
    }
  }
}
