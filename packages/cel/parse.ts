// Parses an expression. Limits prevent a stack overflow in later steps.
import { type ASTNode, Environment, ParseError } from '@marcbachmann/cel-js';

/** The error if the text is not a valid expression for this schema. The message has the form of a compiler error. */
export class CompileProblem extends Error {
  override readonly name = 'CompileProblem';

  /** `at` is the offset in `source` to which the message refers. */
  constructor(summary: string, source: string, at: number) {
    super(pointTo(summary, source, at));
  }
}

/** Longer lines are not printed in messages. */
const longestShown = 4096;

function pointTo(summary: string, source: string, at: number): string {
  const before = source.slice(0, at);
  const line = before.split('\n').length;
  const column = at - (before.lastIndexOf('\n') + 1);
  const text = source.split('\n')[line - 1] ?? '';
  const message = `ERROR: <input>:${line}:${column + 1}: ${summary}`;
  return text.length > longestShown ? message : `${message}\n | ${text}\n | ${'.'.repeat(column)}^`;
}

/** The limits of characters, nodes and depth of the tree. They are as high as those of API servers. */
const longest = 100_000;
const mostNodes = 20_000;
const deepest = 250;

const environment = new Environment({
  enableOptionalTypes: true,
  unlistedVariablesAreDyn: true,
  limits: { maxAstNodes: mostNodes, maxDepth: deepest, maxListElements: 10_000, maxMapEntries: 10_000 },
});

/** Throws CompileProblem. */
export function parse(source: string): ASTNode {
  if (source.length > longest) {
    throw new CompileProblem(`expression is longer than ${longest} characters`, '', 0);
  }
  const unary = new RegExp(`[!-](?:\\s*[!-]){${deepest},}`).exec(source);
  if (unary !== null) {
    throw new CompileProblem(`expression nests deeper than ${deepest} levels`, source, unary.index);
  }
  const tree = parseText(source);
  checkDepth(tree, source);
  return tree;
}

function parseText(source: string): ASTNode {
  try {
    return environment.parse(source).ast;
  } catch (error) {
    if (error instanceof ParseError) {
      throw new CompileProblem(`Syntax error: ${error.summary}`, source, error.range?.start ?? 0);
    }
    throw error;
  }
}

function checkDepth(tree: ASTNode, source: string): void {
  let level: readonly ASTNode[] = [tree];
  for (let depth = 0; level.length > 0; depth += 1) {
    const [first] = level;
    if (depth > deepest && first !== undefined) {
      throw new CompileProblem(`expression nests deeper than ${deepest} levels`, source, first.start);
    }
    level = level.flatMap(childrenOf);
  }
}

/** Returns the operands of a chain of `&&` or of `||`. All are children of one node, so long chains are not deep. */
export function operandsOf(node: ASTNode, op: '&&' | '||'): readonly ASTNode[] {
  const operands: ASTNode[] = [];
  const open: ASTNode[] = [node];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    if (next.op === op) {
      open.push(next.args[1], next.args[0]);
    } else {
      operands.push(next);
    }
  }
  return operands;
}

function childrenOf(node: ASTNode): readonly ASTNode[] {
  switch (node.op) {
    case 'value':
    case 'id':
      return [];
    case '.':
    case '.?':
      return [node.args[0]];
    case 'call':
      return node.args[1];
    case 'rcall':
      return [node.args[1], ...node.args[2]];
    case 'map':
      return node.args.flat();
    case '!_':
    case '-_':
      return [node.args];
    case '&&':
    case '||':
      return operandsOf(node, node.op);
    default:
      return node.args;
  }
}

/** Returns true if the expression uses the name. Throws CompileProblem. */
export function mentions(source: string, name: string): boolean {
  if (!source.includes(name)) {
    return false;
  }
  const open: ASTNode[] = [parse(source)];
  for (let node = open.pop(); node !== undefined; node = open.pop()) {
    if (node.op === 'id' && node.args === name) {
      return true;
    }
    open.push(...childrenOf(node));
  }
  return false;
}
