// A compiled expression, and the scope in which its parts are compiled.
import type { ASTNode } from '@marcbachmann/cel-js';
import type { RuleMeter } from './budget.ts';
import { CompileProblem } from './parse.ts';
import { exactly, type Range, unbounded, upTo } from './range.ts';
import type { CelType } from './type.ts';
import type { CelValue } from './value.ts';

/** The variables of one evaluation by slot, and the meter of the evaluation. */
export interface Frame {
  readonly slots: (CelValue | undefined)[];
  readonly meter: RuleMeter;
}

export interface Expression {
  readonly type: CelType;
  /** The size of the value, if it is known more precisely than by the type. */
  readonly size?: Range;
  readonly cost: Range;
  /** The value of a literal. */
  readonly literal?: CelValue;
  /** The value is part of the object, so the schema bounds its content. */
  readonly described?: boolean;
  run(frame: Frame): CelValue;
}

interface Variable {
  readonly type: CelType;
  readonly slot: number;
  readonly size?: Range;
  readonly described?: boolean;
}

export interface Scope {
  readonly source: string;
  /** Whether list literals may have mixed types, as in the arguments of `format`. */
  readonly mixedLists?: boolean;
  readonly variables: ReadonlyMap<string, Variable>;
  /** The first free slot. */
  readonly nextSlot: number;
  /** Receives the work of the compilation, in units of a common meter. */
  readonly charge: (units: number) => void;
}

/** Returns the scope with additional variables. They hide variables with the same name. */
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

/**
 * As on API servers, estimates assume that the parts of a computed value are empty. The counted cost uses the actual
 * size.
 */
export function boundsWithin(whole: Expression, type: CelType): { readonly described: boolean; readonly size?: Range } {
  if (whole.described === true) {
    return { described: true };
  }
  const hasSize = sizeOfExpression({ type }).max > 1;
  return hasSize ? { described: false, size: upTo(0) } : { described: false };
}

/** Compiles a part of an expression. Throws CompileProblem. */
export type Compile = (node: ASTNode, scope: Scope) => Expression;

export function problemAt(node: ASTNode, scope: Scope, summary: string): CompileProblem {
  return new CompileProblem(summary, scope.source, positionOf(node, scope.source));
}

/** The position in compile errors: the operator, dot or parenthesis instead of the start of the first operand. */
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

/** The maximum size of the value. 1 for types without a size. */
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

/** Returns the variable name of a macro. Throws CompileProblem if it is not an identifier. */
export function boundName(node: ASTNode | undefined, call: ASTNode, scope: Scope): string {
  if (node?.op !== 'id') {
    throw problemAt(node ?? call, scope, 'argument must be a simple name');
  }
  return node.args;
}
