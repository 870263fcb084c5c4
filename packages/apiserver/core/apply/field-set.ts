// Sets of paths in the trie form of `fieldsV1` in JSON. There is no copy, and versions of an object have unchanged
// branches in common. A node is a path of the set if it has the member "." or no members.
import { isJsonObject } from '@capi-serverless/apimachinery';
import { byText, canonicalElement } from './path-element.ts';

/** Not empty, with sorted members. The root is never a path of the set. */
export interface FieldSet {
  readonly [element: string]: FieldSet;
}

/** `undefined` is the empty set. */
export type OptionalFieldSet = FieldSet | undefined;

const own = '.';

/** Returns a set with a single path. */
export const leaf: FieldSet = Object.freeze({});

export type FieldBranch = readonly [element: string, below: FieldSet];

/** Returns a node with these branches, in any order. */
export function nodeOf(isMember: boolean, branches: readonly FieldBranch[]): OptionalFieldSet {
  if (branches.length === 0) {
    return isMember ? leaf : undefined;
  }
  const node: Record<string, FieldSet> = isMember ? { [own]: leaf } : {};
  for (const [element, below] of isSorted(branches) ? branches : [...branches].sort(byElement)) {
    node[element] = below;
  }
  return Object.freeze(node);
}

function byElement([left]: FieldBranch, [right]: FieldBranch): number {
  return byText(left, right);
}

/** Branches from other nodes are usually sorted. */
function isSorted(branches: readonly FieldBranch[]): boolean {
  let last = '';
  for (const [element] of branches) {
    if (element < last) {
      return false;
    }
    last = element;
  }
  return true;
}

/** Returns true if the path of the node is in the set. */
export function isMember(node: FieldSet): boolean {
  if (node[own] !== undefined) {
    return true;
  }
  for (const _ in node) {
    return false;
  }
  return true;
}

export function branchesOf(node: FieldSet): readonly FieldBranch[] {
  const branches: FieldBranch[] = [];
  for (const element in node) {
    const below = node[element];
    if (element !== own && below !== undefined) {
      branches.push([element, below]);
    }
  }
  return branches;
}

/** Returns the node with its path added. */
export function asMember(node: OptionalFieldSet): FieldSet {
  if (node === undefined) {
    return leaf;
  }
  return isMember(node) ? node : (nodeOf(true, branchesOf(node)) ?? leaf);
}

/** Returns the node with its path removed. */
export function withoutOwn(node: OptionalFieldSet): OptionalFieldSet {
  return node === undefined || !isMember(node) ? node : nodeOf(false, branchesOf(node));
}

export function union(left: OptionalFieldSet, right: OptionalFieldSet): OptionalFieldSet {
  if (left === undefined || right === undefined || left === right) {
    return left ?? right;
  }
  const added: FieldBranch[] = [];
  let changed = isMember(right) && !isMember(left);
  const kept = branchesOf(left).map(([element, below]): FieldBranch => {
    const joined = union(below, right[element]) ?? below;
    changed ||= joined !== below;
    return [element, joined];
  });
  for (const branch of branchesOf(right)) {
    if (left[branch[0]] === undefined) {
      added.push(branch);
    }
  }
  return changed || added.length > 0 ? nodeOf(isMember(left) || isMember(right), [...kept, ...added]) : left;
}

/** Returns the paths of `left` that are not in `right`. */
export function difference(left: OptionalFieldSet, right: OptionalFieldSet): OptionalFieldSet {
  if (left === undefined || right === undefined) {
    return left;
  }
  return filterBranches(left, isMember(left) && !isMember(right), (below, element) =>
    difference(below, right[element]),
  );
}

/** Returns the paths of `left` that are neither in `right` nor below one of its paths. */
export function differenceBelow(left: OptionalFieldSet, right: OptionalFieldSet): OptionalFieldSet {
  if (left === undefined || right === undefined) {
    return left;
  }
  return filterBranches(left, isMember(left), (below, element) => {
    const other = right[element];
    return other !== undefined && isMember(other) ? undefined : differenceBelow(below, other);
  });
}

/** Returns the paths that are in both sets. */
export function intersection(left: OptionalFieldSet, right: OptionalFieldSet): OptionalFieldSet {
  if (left === undefined || right === undefined || left === right) {
    return left === right ? left : undefined;
  }
  return filterBranches(left, isMember(left) && isMember(right), (below, element) =>
    intersection(below, right[element]),
  );
}

/** Returns the same node if nothing changes. */
function filterBranches(
  node: FieldSet,
  member: boolean,
  change: (below: FieldSet, element: string) => OptionalFieldSet,
): OptionalFieldSet {
  let changed = member !== isMember(node);
  const branches: FieldBranch[] = [];
  for (const [element, below] of branchesOf(node)) {
    const next = change(below, element);
    changed ||= next !== below;
    if (next !== undefined) {
      branches.push([element, next]);
    }
  }
  return changed ? nodeOf(member, branches) : node;
}

/** Returns every path of the set as a list of elements. */
export function pathsOf(set: OptionalFieldSet, above: readonly string[] = []): readonly (readonly string[])[] {
  return set === undefined
    ? []
    : [
        ...(above.length > 0 && isMember(set) ? [above] : []),
        ...branchesOf(set).flatMap(([element, below]) => pathsOf(below, [...above, element])),
      ];
}

/** Returns the set that contains these paths. */
export function setOf(...paths: readonly (readonly string[])[]): OptionalFieldSet {
  return paths.reduce<OptionalFieldSet>(
    (set, path) => union(set, path.reduceRight<OptionalFieldSet>(above, leaf)),
    undefined,
  );
}

function above(below: OptionalFieldSet, element: string): OptionalFieldSet {
  return nodeOf(false, [[element, below ?? leaf]]);
}

/** Parses the `fieldsV1` of a client to the canonical form. Throws SyntaxError if it is not a field set. */
export function parseFields(raw: unknown): OptionalFieldSet {
  return withoutOwn(parseNode(raw));
}

function parseNode(raw: unknown): FieldSet {
  if (!isJsonObject(raw)) {
    throw new SyntaxError('a set of fields is an object');
  }
  const branches: FieldBranch[] = [];
  for (const [element, below] of Object.entries(raw)) {
    const spelled = element === own ? undefined : canonicalElement(element);
    const node = parseNode(below);
    if (spelled !== undefined) {
      branches.push([spelled, node]);
    }
  }
  return nodeOf(raw[own] !== undefined || branches.length === 0, branches) ?? leaf;
}
