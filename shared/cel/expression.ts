// A compiled expression, and the scope in which its parts are compiled.
import type { ASTNode } from '@marcbachmann/cel-js';
import type { Meter } from './budget.ts';
import { CompileProblem } from './parse.ts';
import { exactly, type Range, unbounded, upTo } from './range.ts';
import type { CelType } from './type.ts';
import type { Value } from './value.ts';

/** The variables of one evaluation, by slot, and the meter that counts it. */
export interface Frame {
  readonly slots: (Value | undefined)[];
  readonly meter: Meter;
}

export interface Expression {
  readonly type: CelType;
  /** Of the value, where more is known than its type says. */
  readonly size?: Range;
  readonly cost: Range;
  /** Where the text itself spells the value out. */
  readonly literal?: Value;
  /** The value stands in the object: the schema bounds what is in it. */
  readonly described?: boolean;
  run(frame: Frame): Value;
}

export interface Variable {
  readonly type: CelType;
  readonly slot: number;
  readonly size?: Range;
  readonly described?: boolean;
}

export interface Scope {
  readonly source: string;
  /** Lists that are spelled out may hold several types: the arguments of `format`. */
  readonly mixedLists?: boolean;
  readonly variables: ReadonlyMap<string, Variable>;
  /** A slot that no variable in scope has. */
  readonly nextSlot: number;
}

/** The scope with further variables, which hide those of the same name. */
export function withVariables(
  scope: Scope,
  ...added: readonly (Omit<Variable, 'slot'> & { readonly name: string })[]
): Scope {
  const variables = new Map(scope.variables);
  added.forEach(({ name, ...variable }, index) => {
    variables.set(name, { ...variable, slot: scope.nextSlot + index });
  });
  return { ...scope, variables, nextSlot: scope.nextSlot + added.length };
}

/** API servers take the parts of what an expression itself put together for empty in estimates, and so do we; counts do not. */
export function boundsWithin(whole: Expression, type: CelType): { readonly described: boolean; readonly size?: Range } {
  if (whole.described === true) {
    return { described: true };
  }
  const hasSize = sizeOfExpression({ type }).max > 1;
  return hasSize ? { described: false, size: upTo(0) } : { described: false };
}

/** How parts of an expression are compiled; handed to those who compile a part that has parts. Throws CompileProblem. */
export type Compile = (node: ASTNode, scope: Scope) => Expression;

export function problemAt(node: ASTNode, scope: Scope, summary: string): CompileProblem {
  return new CompileProblem(summary, scope.source, positionOf(node, scope.source));
}

/** Where compilers point to: the operator, the dot or the parenthesis, not where the first operand begins. */
function positionOf(node: ASTNode, source: string): number {
  const after = (operand: ASTNode, mark: string): number => {
    const at = source.indexOf(mark, operand.end);
    return at < 0 || at >= node.end ? node.start : at;
  };
  switch (node.op) {
    case 'value':
    case 'id':
    case 'list':
    case 'map':
    case '!_':
    case '-_':
      return node.start;
    case 'call':
      return source.indexOf('(', node.start);
    case 'rcall':
      return after(node.args[1], '(');
    case '.':
    case '.?':
      return after(node.args[0], '.');
    case '[]':
    case '[?]':
      return after(node.args[0], '[');
    case '?:':
      return after(node.args[0], '?');
    default:
      return after(node.args[0], node.op);
  }
}

/** How large the value can be: 1 for what has no size. */
export function sizeOfExpression({ size, type }: Pick<Expression, 'size' | 'type'>): Range {
  if (size !== undefined) {
    return size;
  }
  switch (type.kind) {
    case 'scalar':
      return ['string', 'bytes', 'dyn', 'any'].includes(type.name) ? upTo(type.max ?? unbounded) : exactly(1);
    case 'list':
    case 'map':
      return upTo(type.max ?? unbounded);
    case 'object':
      return upTo(0);
    case 'optional':
      return sizeOfExpression({ type: type.of }).max === 1 ? exactly(1) : upTo(unbounded);
    case 'param':
      return upTo(unbounded);
    case 'type':
      return exactly(1);
  }
}

/** The name that a macro binds. Throws CompileProblem where that is not a name. */
export function boundName(node: ASTNode | undefined, call: ASTNode, scope: Scope): string {
  if (node?.op !== 'id') {
    throw problemAt(node ?? call, scope, 'argument must be a simple name');
  }
  return node.args;
}
