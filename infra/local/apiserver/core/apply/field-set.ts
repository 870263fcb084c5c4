// Sets of paths, held as the very trie that `fieldsV1` is on the wire: no copy is kept beside it, and unchanged branches
// are shared between versions of an object. A node that stands for a path of its own says so by "." or by having no members.
import { isObject } from '../json.ts';
import { byText, canonicalElement } from './path-element.ts';

/** Not empty, members in order. At the root nothing stands for itself. */
export interface FieldSet {
  readonly [element: string]: FieldSet;
}

/** `undefined` is the empty set. */
export type Fields = FieldSet | undefined;

const own = '.';

/** The path itself and nothing below it. */
export const leaf: FieldSet = Object.freeze({});

export type Branch = readonly [element: string, below: FieldSet];

/** A node of these branches, in any order. */
export function nodeOf(isMember: boolean, branches: readonly Branch[]): Fields {
  if (branches.length === 0) {
    return isMember ? leaf : undefined;
  }
  const node: Record<string, FieldSet> = isMember ? { [own]: leaf } : {};
  for (const [element, below] of isSorted(branches) ? branches : [...branches].sort(byElement)) {
    node[element] = below;
  }
  return Object.freeze(node);
}

function byElement([left]: Branch, [right]: Branch): number {
  return byText(left, right);
}

/** What comes from other nodes nearly always is. */
function isSorted(branches: readonly Branch[]): boolean {
  let last = '';
  for (const [element] of branches) {
    if (element < last) {
      return false;
    }
    last = element;
  }
  return true;
}

/** Whether the node stands for its own path. */
export function isMember(node: FieldSet): boolean {
  if (node[own] !== undefined) {
    return true;
  }
  for (const _ in node) {
    return false;
  }
  return true;
}

export function branchesOf(node: FieldSet): readonly Branch[] {
  const branches: Branch[] = [];
  for (const element in node) {
    const below = node[element];
    if (element !== own && below !== undefined) {
      branches.push([element, below]);
    }
  }
  return branches;
}

/** The node, also standing for its own path. */
export function asMember(node: Fields): FieldSet {
  if (node === undefined) {
    return leaf;
  }
  return isMember(node) ? node : (nodeOf(true, branchesOf(node)) ?? leaf);
}

/** The node without its own path. */
export function withoutOwn(node: Fields): Fields {
  return node === undefined || !isMember(node) ? node : nodeOf(false, branchesOf(node));
}

export function union(left: Fields, right: Fields): Fields {
  if (left === undefined || right === undefined || left === right) {
    return left ?? right;
  }
  const added: Branch[] = [];
  let changed = isMember(right) && !isMember(left);
  const kept = branchesOf(left).map(([element, below]): Branch => {
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

/** Paths of the one that are not paths of the other. */
export function difference(left: Fields, right: Fields): Fields {
  if (left === undefined || right === undefined) {
    return left;
  }
  return filterBranches(left, isMember(left) && !isMember(right), (below, element) =>
    difference(below, right[element]),
  );
}

/** Paths of the one that are neither paths of the other nor below them. */
export function differenceBelow(left: Fields, right: Fields): Fields {
  if (left === undefined || right === undefined) {
    return left;
  }
  return filterBranches(left, isMember(left), (below, element) => {
    const other = right[element];
    return other !== undefined && isMember(other) ? undefined : differenceBelow(below, other);
  });
}

/** Paths of both. */
export function intersection(left: Fields, right: Fields): Fields {
  if (left === undefined || right === undefined || left === right) {
    return left === right ? left : undefined;
  }
  return filterBranches(left, isMember(left) && isMember(right), (below, element) =>
    intersection(below, right[element]),
  );
}

/** The node itself where nothing changes. */
function filterBranches(node: FieldSet, member: boolean, change: (below: FieldSet, element: string) => Fields): Fields {
  let changed = member !== isMember(node);
  const branches: Branch[] = [];
  for (const [element, below] of branchesOf(node)) {
    const next = change(below, element);
    changed ||= next !== below;
    if (next !== undefined) {
      branches.push([element, next]);
    }
  }
  return changed ? nodeOf(member, branches) : node;
}

/** Every path of the set, each as its elements. */
export function pathsOf(set: Fields, above: readonly string[] = []): readonly (readonly string[])[] {
  return set === undefined
    ? []
    : [
        ...(above.length > 0 && isMember(set) ? [above] : []),
        ...branchesOf(set).flatMap(([element, below]) => pathsOf(below, [...above, element])),
      ];
}

/** The set of these paths. */
export function setOf(...paths: readonly (readonly string[])[]): Fields {
  return paths.reduce<Fields>((set, path) => union(set, path.reduceRight<Fields>(above, leaf)), undefined);
}

function above(below: Fields, element: string): Fields {
  return nodeOf(false, [[element, below ?? leaf]]);
}

/** What a client sent as `fieldsV1`, spelled as servers do. Throws SyntaxError where it is no set of fields. */
export function parseFields(raw: unknown): Fields {
  return withoutOwn(parseNode(raw));
}

function parseNode(raw: unknown): FieldSet {
  if (!isObject(raw)) {
    throw new SyntaxError('a set of fields is an object');
  }
  const branches: Branch[] = [];
  for (const [element, below] of Object.entries(raw)) {
    const spelled = element === own ? undefined : canonicalElement(element);
    const node = parseNode(below);
    if (spelled !== undefined) {
      branches.push([spelled, node]);
    }
  }
  return nodeOf(raw[own] !== undefined || branches.length === 0, branches) ?? leaf;
}
