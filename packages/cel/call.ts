// Calls of functions and operators: overload resolution and cost.
import { withoutUndefined } from '@capi-serverless/apimachinery';
import type { ASTNode } from '@marcbachmann/cel-js';
import { type Compile, type Expression, type Frame, problemAt, type Scope, sizeOfExpression } from './expression.ts';
import { overloadsOf } from './functions.ts';
import type { Overload, Size } from './overload.ts';
import { either, exactly, one, plus, type Range, unbounded, upTo, zero } from './range.ts';
import {
  accepts,
  type Bindings,
  type CelType,
  double,
  dyn,
  formatType,
  int,
  isDynamic,
  isScalar,
  join,
  substitute,
} from './type.ts';
import { type CelValue, EvaluationProblem, isOfType, sizeOf } from './value.ts';

interface Call {
  /** The name of the function, with its namespace. */
  readonly name: string;
  readonly member: boolean;
  readonly args: readonly ASTNode[];
}

/** Throws CompileProblem if no function with this name accepts these arguments. */
export function compileCall(node: ASTNode, scope: Scope, compile: Compile): Expression {
  const call = toCall(node, scope);
  const named = overloadsOf(call.name).filter(({ member }) => member === call.member);
  if (named.length === 0) {
    throw problemAt(node, scope, `undeclared reference to '${call.name}' (in container '')`);
  }
  const folded = negativeLiteral(node);
  if (folded !== undefined) {
    return folded;
  }
  const inner = call.member && call.name === 'format' ? { ...scope, mixedLists: true } : scope;
  const args = call.args.map(each => compile(each, inner));
  const candidates = named.flatMap(overload => applicable(overload, args));
  const [first] = candidates;
  if (first === undefined) {
    throw problemAt(node, scope, `found no matching overload for '${call.name}' applied to '${applied(call, args)}'`);
  }
  const literals = args.map(({ literal }) => literal);
  const wrong = first.overload.check?.(literals, scope.charge);
  if (wrong !== undefined) {
    throw problemAt(call.args.at(-1) ?? node, scope, wrong);
  }
  return callOf(args, candidates, first);
}

/** The text `-1` is a literal. */
function negativeLiteral(node: ASTNode): Expression | undefined {
  const value = node.op === '-_' && node.args.op === 'value' ? node.args.args : undefined;
  if (typeof value === 'bigint' && value <= 2n ** 63n) {
    return literalOf(-value, int);
  }
  return typeof value === 'number' ? literalOf(-value, double) : undefined;
}

function literalOf(value: CelValue, type: CelType): Expression {
  return { type, size: one, cost: zero, literal: value, run: () => value };
}

/** An overload with its result type for these arguments. */
interface Candidate {
  readonly overload: Overload;
  readonly type: CelType;
}

function applicable(overload: Overload, args: readonly Expression[]): readonly Candidate[] {
  const bindings: Bindings = new Map();
  const fits =
    overload.params.length === args.length &&
    overload.params.every((param, at) => accepts(param, args[at]?.type ?? dyn, bindings));
  return fits ? [{ overload, type: substitute(overload.result, bindings) }] : [];
}

function callOf(args: readonly Expression[], candidates: readonly Candidate[], first: Candidate): Expression {
  const sizes = args.map(sizeOfArgument);
  const certain = candidates.length === 1 && !args.some(({ type }) => isDynamic(type));
  const run = first.overload.prepare?.(args.map(({ literal }) => literal)) ?? first.overload.run;
  const type = candidates.map(candidate => candidate.type).reduce((left, right) => join(left, right) ?? dyn);
  const size = first.overload.resultSize?.(sizes) ?? unknownSize(type);
  const costs = candidates.map(({ overload }) => overload.cost?.(sizes) ?? one);
  return {
    type,
    ...withoutUndefined({ size }),
    cost: plus(costs.reduce(either), ...args.map(({ cost }) => cost)),
    run(frame) {
      const values = args.map(arg => arg.run(frame));
      const overload = certain ? first.overload : choose(candidates, values);
      charge(overload, values, frame);
      return overload === first.overload ? run(values, frame.meter) : overload.run(values, frame.meter);
    },
  };
}

/** The result of a function has no bounds, regardless of its arguments. Undefined for types without a size. */
function unknownSize(type: CelType): Range | undefined {
  return sizeOfExpression({ type }).max > 1 ? upTo(unbounded) : undefined;
}

function sizeOfArgument(arg: Expression): Size {
  const { type } = arg;
  return type.kind === 'list' && isScalar(type.of, 'string', 'bytes')
    ? { ...sizeOfExpression(arg), element: sizeOfExpression({ type: type.of }) }
    : sizeOfExpression(arg);
}

function choose(candidates: readonly Candidate[], values: readonly CelValue[]): Overload {
  const chosen = candidates.find(({ overload }) =>
    overload.params.every((param, at) => isOfType(values[at] ?? null, param)),
  );
  if (chosen === undefined) {
    throw new EvaluationProblem('no such overload');
  }
  return chosen.overload;
}

function charge(overload: Overload, values: readonly CelValue[], { meter }: Frame): void {
  const sizes = (): readonly Range[] => values.map(value => exactly(sizeOf(value)));
  const work = overload.work ?? overload.cost;
  meter.charge(work === undefined ? 1 : Math.max(1, work(sizes()).max));
}

function applied({ member }: Call, args: readonly Expression[]): string {
  const [first, ...others] = args.map(({ type }) => formatType(type));
  return member
    ? `${first}.(${others.join(', ')})`
    : `(${[first, ...others].filter(each => each !== undefined).join(', ')})`;
}

function toCall(node: ASTNode, scope: Scope): Call {
  switch (node.op) {
    case 'call':
      return { name: node.args[0], member: false, args: node.args[1] };
    case 'rcall':
      return memberCall(node, scope);
    case '!_':
    case '-_':
      return { name: node.op, member: false, args: [node.args] };
    case '==':
    case '!=':
    case '<':
    case '<=':
    case '>':
    case '>=':
    case '+':
    case '-':
    case '*':
    case '/':
    case '%':
      return { name: `_${node.op}_`, member: false, args: node.args };
    case 'in':
      return { name: '@in', member: false, args: node.args };
    default:
      throw problemAt(node, scope, `${node.op} is not a call`);
  }
}

/** `sets.contains(a, b)` calls a function in a namespace, unless a variable has this name. */
function memberCall(node: Extract<ASTNode, { readonly op: 'rcall' }>, scope: Scope): Call {
  const [name, receiver, args] = node.args;
  if (receiver.op === 'id' && !scope.variables.has(receiver.args)) {
    const qualified = `${receiver.args}.${name}`;
    if (overloadsOf(qualified).length > 0) {
      return { name: qualified, member: false, args };
    }
  }
  return { name, member: true, args: [receiver, ...args] };
}
