// An object and the objects that belong to it, as the rows of a tree. Pure.
import type { ObjectView } from './object-view.ts';

/** One line of a tree. `branch` is drawn before the mark. */
export interface TreeRow extends ObjectView {
  readonly branch: string;
  readonly name: string;
}

/** One object of a tree. */
export interface ObjectNode extends ObjectView {
  readonly name: string;
  readonly children: readonly ObjectNode[];
}

/** Selects the visible nodes of a list. */
export type Shown = (nodes: readonly ObjectNode[]) => readonly ObjectNode[];

export const everyNode: Shown = nodes => nodes;

/** If there are more children, they are counted instead of listed. */
const mostChildren = 10;

/** Returns the first nodes, and a node with the number of the others. */
export function limited(nodes: readonly ObjectNode[]): readonly ObjectNode[] {
  if (nodes.length <= mostChildren) {
    return nodes;
  }
  const more: ObjectNode = { name: `${nodes.length - mostChildren} more`, mark: 'unknown', detail: '', children: [] };
  return [...nodes.slice(0, mostChildren), more];
}

export function toRows(node: ObjectNode, branch = '', indent = ''): readonly TreeRow[] {
  const { name, mark, detail, children } = node;
  const below = children.flatMap((child, index) => {
    const isLast = index === children.length - 1;
    return toRows(child, `${indent}${isLast ? '└─ ' : '├─ '}`, `${indent}${isLast ? '   ' : '│  '}`);
  });
  return [{ branch, name, mark, detail }, ...below];
}
