// Computes the difference between two states of an object, by path.
import { type JsonObject, sameJson } from '@capi-serverless/apimachinery';
import { differenceBelow, type FieldBranch, leaf, nodeOf, type OptionalFieldSet, withoutOwn } from './field-set.ts';
import { allFieldsOf } from './fields-of-value.ts';
import type { ListType, MapType, MergeType } from './merge-type.ts';
import { fieldElement } from './path-element.ts';
import { itemsByElement, memberType, shapeOf, type ValueShape } from './value-shape.ts';

export interface Comparison {
  readonly added: OptionalFieldSet;
  readonly modified: OptionalFieldSet;
  readonly removed: OptionalFieldSet;
}

const noChange: Comparison = { added: undefined, modified: undefined, removed: undefined };

const modifiedLeaf: Comparison = { ...noChange, modified: leaf };

/** Branches that are the same in both states are skipped. `undefined` means that the value is absent. */
export function compare(type: MergeType, left: unknown, right: unknown): Comparison {
  if (left === right) {
    return noChange;
  }
  if (left === undefined) {
    return { ...noChange, added: allFieldsOf(type, right) };
  }
  if (right === undefined) {
    return { ...noChange, removed: allFieldsOf(type, left) };
  }
  if (typeof left !== 'object' && typeof right !== 'object') {
    return modifiedLeaf;
  }
  const [before, after] = [shapeOf(type, left), shapeOf(type, right)];
  if (before.kind === 'leaf' && after.kind === 'leaf') {
    return sameJson(left, right) ? noChange : modifiedLeaf;
  }
  if (isPiece(type, left) || isPiece(type, right)) {
    return acrossShapes(before, after);
  }
  return withinShape(before, after);
}

/**
 * Returns true if the value is not a container that is merged by its parts. Null and empty values may be such
 * containers.
 */
function isPiece(type: MergeType, value: unknown): boolean {
  if (Array.isArray(value)) {
    return type.list === undefined || type.list.merge === 'atomic';
  }
  return value !== null && (typeof value !== 'object' || type.map === undefined || type.map.atomic);
}

/** A container became atomic, or an atomic value became a container. */
function acrossShapes(before: ValueShape, after: ValueShape): Comparison {
  return { ...withinShape(before, after), modified: leaf };
}

/** The container exists in both states. */
function withinShape(before: ValueShape, after: ValueShape): Comparison {
  if (before.kind === 'list' && after.kind === 'list') {
    return compareLists(before.type, before.items, after.items);
  }
  if (before.kind === 'map' && after.kind === 'map') {
    return compareMaps(before.type, before.members, after.members);
  }
  return {
    added: withoutOwn(fieldsIn(after)),
    modified: undefined,
    removed: withoutOwn(fieldsIn(before)),
  };
}

function fieldsIn(shape: ValueShape): OptionalFieldSet {
  switch (shape.kind) {
    case 'leaf':
      return undefined;
    case 'list':
      return allFieldsOf({ list: shape.type }, shape.items);
    case 'map':
      return allFieldsOf({ map: shape.type }, shape.members);
  }
}

/** Collects the differences below one node. */
class Outcomes {
  readonly #all: (readonly [element: string, below: Comparison])[] = [];

  add(element: string, below: Comparison): void {
    if (below !== noChange) {
      this.#all.push([element, below]);
    }
  }

  whole(): Comparison {
    return this.#all.length === 0
      ? noChange
      : { added: this.#part('added'), modified: this.#part('modified'), removed: this.#part('removed') };
  }

  #part(part: keyof Comparison): OptionalFieldSet {
    const branches = this.#all.flatMap(([element, { [part]: below }]): readonly FieldBranch[] =>
      below === undefined ? [] : [[element, below]],
    );
    return nodeOf(false, branches);
  }
}

function compareMaps(type: MapType, left: JsonObject, right: JsonObject): Comparison {
  const outcomes = new Outcomes();
  for (const name of Object.keys(left)) {
    if (left[name] !== right[name] || !Object.hasOwn(right, name)) {
      const next = Object.hasOwn(right, name) ? right[name] : undefined;
      outcomes.add(fieldElement(name), compare(memberType(type, name), left[name], next));
    }
  }
  for (const name of Object.keys(right)) {
    if (!Object.hasOwn(left, name)) {
      outcomes.add(fieldElement(name), compare(memberType(type, name), undefined, right[name]));
    }
  }
  return outcomes.whole();
}

/** Most items keep their position. Only the other items are matched by their keys. */
function compareLists(type: ListType, left: readonly unknown[], right: readonly unknown[]): Comparison {
  const outcomes = new Outcomes();
  const before = itemsByElement(type, changedItems(left, right));
  const after = itemsByElement(type, changedItems(right, left));
  for (const [element, items] of before) {
    outcomes.add(element, compareItems(type, items, after.get(element)));
  }
  for (const [element, [item]] of after) {
    if (!before.has(element)) {
      outcomes.add(element, compare(type.items, undefined, item));
    }
  }
  return outcomes.whole();
}

function changedItems(items: readonly unknown[], others: readonly unknown[]): readonly unknown[] {
  return items.filter((item, index) => index >= others.length || !sameJson(item, others[index]));
}

/** Items with the same keys are compared as one value. */
function compareItems(type: ListType, left: readonly unknown[], right: readonly unknown[] | undefined): Comparison {
  if (right === undefined || (left.length === 1 && right.length === 1)) {
    return compare(type.items, left[0], right?.[0]);
  }
  return sameJson(left, right) ? noChange : modifiedLeaf;
}

/** Returns the comparison without these paths and the paths below them. */
export function withoutPaths(comparison: Comparison, paths: OptionalFieldSet): Comparison {
  return comparison === noChange || paths === undefined
    ? comparison
    : {
        added: differenceBelow(comparison.added, paths),
        modified: differenceBelow(comparison.modified, paths),
        removed: differenceBelow(comparison.removed, paths),
      };
}
