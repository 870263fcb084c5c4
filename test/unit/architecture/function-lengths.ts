// Finds the functions of a source that are longer than a limit.
import { parseAst } from 'vitest/node';

interface LongFunction {
  readonly line: number;
  readonly lines: number;
}

/** A node of the syntax tree, with the members that this file reads. */
interface Node {
  readonly type: string;
  readonly start: number;
  readonly end: number;
  readonly [member: string]: unknown;
}

const functionTypes = ['FunctionDeclaration', 'FunctionExpression', 'ArrowFunctionExpression'];
const testCall = /^(describe|it|test)([A-Z]|$)/;

/**
 * The lines of a function are its first to its last line. A function that declares tests is a group and may have any
 * length. Each test is a separate function.
 */
export function findLongFunctions(source: string, limit: number): readonly LongFunction[] {
  const lineAt = lineIndex(source);
  const found: LongFunction[] = [];

  /** Visits the node. Returns true if it declares tests. */
  function visit(node: Node): boolean {
    const declares = childrenOf(node).map(visit).includes(true);
    const lines = lineAt(node.end - 1) - lineAt(node.start) + 1;
    if (functionTypes.includes(node.type) && !declares && lines > limit) {
      found.push({ line: lineAt(node.start), lines });
    }
    return declares || isTestCall(node);
  }
  // True: the nodes of the parser have these members.
  visit(parseAst(source, { lang: 'ts' }) as unknown as Node);
  return found;
}

/** Matches a call such as `it('…', () => …)` or `it.each(…)('…', () => …)`. */
function isTestCall(node: Node): boolean {
  return (
    node.type === 'CallExpression' &&
    testCall.test(rootName(node)) &&
    childrenOf(node).some(({ type }) => functionTypes.includes(type))
  );
}

/** Returns the first name of `name`, `name.member`, `name(…)` or `` name`…` ``. */
function rootName(node: Node): string {
  const { name } = node;
  const inner = node['object'] ?? node['callee'] ?? node['tag'];
  return typeof name === 'string' ? name : isNode(inner) ? rootName(inner) : '';
}

function childrenOf(node: Node): readonly Node[] {
  return Object.values(node).flat().filter(isNode);
}

function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && 'type' in value && 'start' in value;
}

/** Returns a function from the position of a character, counted from 0, to its line, counted from 1. */
function lineIndex(source: string): (position: number) => number {
  const ends = [...source.matchAll(/\n/g)].map(({ index }) => index);
  return position => {
    let [low, high] = [0, ends.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      [low, high] = (ends[middle] ?? 0) < position ? [middle + 1, high] : [low, middle];
    }
    return low + 1;
  };
}
