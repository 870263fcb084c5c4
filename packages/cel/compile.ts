// Compiles an expression tree: infers types, estimates the cost and refuses expressions that always fail.

import { withoutUndefined } from '@capi-serverless/apimachinery';
import type { ASTNode } from '@marcbachmann/cel-js';
import { index, select } from './access.ts';
import { compileCall } from './call.ts';
import { decide } from './decide.ts';
import { type Expression, problemAt, type Scope, sizeOfExpression } from './expression.ts';
import { compileMacro } from './macros.ts';
import { asBool } from './overload.ts';
import { operandsOf, parse } from './parse.ts';
import { either, exactly, one, plus, zero } from './range.ts';
import {
  any,
  bool,
  bytes,
  type CelType,
  double,
  dyn,
  formatType,
  int,
  isDynamic,
  isScalar,
  join,
  listOf,
  mapOf,
  nullType,
  parseType,
  scalar,
  uint,
} from './type.ts';
import { type CelValue, EvaluationProblem, isKind, sizeOf, toList, toMap } from './value.ts';

/** Throws CompileProblem. */
export function compileText(source: string, scope: Omit<Scope, 'source'>): Expression {
  return compile(parse(source), { ...scope, source });
}

function compile(node: ASTNode, scope: Scope): Expression {
  switch (node.op) {
    case 'value':
      return literal(node, scope);
    case 'id':
      return identifier(node, scope);
    case '.':
    case '.?':
      return select(node, scope, compile);
    case '[]':
    case '[?]':
      return index(node, scope, compile);
    case 'list':
      return list(node.args, node, scope);
    case 'map':
      return map(node.args, node, scope);
    case '?:':
      return conditional(node, scope);
    case '&&':
    case '||':
      return logical(node, scope);
    case 'call':
    case 'rcall':
      return compileMacro(node, scope, compile) ?? compileCall(node, scope, compile);
    default:
      return compileCall(node, scope, compile);
  }
}

/** Literals have no cost. A list, map or condition may have thousands of them. */
const unitsPerItem = 4;
const unitsPerEntry = 16;

/** The base costs of the creation of a list or a map, and of a look-up. */
const listCost = exactly(10);
const mapCost = exactly(30);

type Literal = Extract<ASTNode, { readonly op: 'value' }>['args'];

function literal(node: Extract<ASTNode, { readonly op: 'value' }>, scope: Scope): Expression {
  const value = fromLiteral(node.args);
  if (!isWithin(value)) {
    throw problemAt(node, scope, 'invalid int literal');
  }
  return {
    type: literalType(value),
    described: true,
    size: exactly(sizeOf(value)),
    cost: zero,
    literal: value,
    run: () => value,
  };
}

const mostInt = 2n ** 63n;
const mostUint = 2n ** 64n;

function isWithin(value: CelValue): boolean {
  return typeof value === 'bigint' ? value < mostInt : !isKind(value, 'uint') || value.value < mostUint;
}

function fromLiteral(raw: Literal): CelValue {
  return typeof raw === 'object' && raw !== null && !(raw instanceof Uint8Array)
    ? { kind: 'uint', value: BigInt(raw.toString()) }
    : raw;
}

function literalType(value: CelValue): CelType {
  switch (typeof value) {
    case 'string':
      return scalar('string', value.length);
    case 'bigint':
      return int;
    case 'number':
      return double;
    case 'boolean':
      return bool;
    default:
      return value === null ? nullType : value instanceof Uint8Array ? bytes : uint;
  }
}

const typeNames = ['bool', 'int', 'uint', 'double', 'string', 'bytes', 'null_type', 'list', 'map', 'type'];

function identifier(node: Extract<ASTNode, { readonly op: 'id' }>, scope: Scope): Expression {
  const name = node.args;
  const variable = scope.variables.get(name);
  if (variable === undefined) {
    if (typeNames.includes(name)) {
      const type: CelValue = { kind: 'type', name };
      return { type: { kind: 'type', of: parseType(name) }, cost: one, literal: type, run: () => type };
    }
    throw problemAt(node, scope, `undeclared reference to '${name}' (in container '')`);
  }
  const { slot } = variable;
  return {
    type: variable.type,
    ...withoutUndefined({ size: variable.size, described: variable.described }),
    cost: one,
    run({ slots, meter }) {
      meter.charge(1);
      const value = slots[slot];
      if (value === undefined) {
        throw new EvaluationProblem(`no such attribute(s): ${name}`);
      }
      return value;
    },
  };
}

function list(nodes: readonly ASTNode[], node: ASTNode, scope: Scope): Expression {
  const items = nodes.map(each => compile(each, scope));
  const of = scope.mixedLists === true ? dyn : sameType(items, nodes, { node, scope });
  const literals = items.map(({ literal: value }) => value).filter(value => value !== undefined);
  return {
    type: listOf(of),
    size: exactly(items.length),
    cost: plus(listCost, ...items.map(({ cost }) => cost)),
    ...(literals.length === items.length ? { literal: toList(literals), described: true } : {}),
    run(frame) {
      frame.meter.charge(listCost.max);
      frame.meter.work(items.length * unitsPerItem);
      return toList(items.map(item => item.run(frame)));
    },
  };
}

/** Returns the common type of all items. The items of list and map literals must have one type. */
function sameType(
  items: readonly Expression[],
  nodes: readonly ASTNode[],
  { node, scope }: { readonly node: ASTNode; readonly scope: Scope },
): CelType {
  return items.reduce<CelType>((type, item, position) => {
    const joined = join(type, item.type);
    if (joined === undefined) {
      const expected = `expected type '${formatType(type)}' but found '${formatType(item.type)}'`;
      throw problemAt(nodes[position] ?? node, scope, expected);
    }
    return joined;
  }, any);
}

function map(nodes: readonly [ASTNode, ASTNode][], node: ASTNode, scope: Scope): Expression {
  const entries = nodes.map(([key, value]) => [compile(key, scope), compile(value, scope)] as const);
  const place = { node, scope };
  const key = sameType(
    entries.map(entry => entry[0]),
    nodes.map(entry => entry[0]),
    place,
  );
  const of = sameType(
    entries.map(entry => entry[1]),
    nodes.map(entry => entry[1]),
    place,
  );
  return {
    type: mapOf(key, of),
    size: exactly(entries.length),
    cost: plus(mapCost, ...entries.flat().map(({ cost }) => cost)),
    run(frame) {
      frame.meter.charge(mapCost.max);
      frame.meter.work(entries.length * unitsPerEntry);
      return toMap(entries.map(([name, value]) => [name.run(frame), value.run(frame)]));
    },
  };
}

function conditional(node: Extract<ASTNode, { readonly op: '?:' }>, scope: Scope): Expression {
  const [condition, then, otherwise] = [
    compile(node.args[0], scope),
    compile(node.args[1], scope),
    compile(node.args[2], scope),
  ];
  const type = join(then.type, otherwise.type);
  if (type === undefined || !isBool(condition)) {
    const applied = [condition, then, otherwise].map(each => formatType(each.type)).join(', ');
    throw problemAt(node, scope, `found no matching overload for '_?_:_' applied to '(${applied})'`);
  }
  return {
    type,
    size: either(sizeOfExpression(then), sizeOfExpression(otherwise)),
    cost: plus(condition.cost, either(then.cost, otherwise.cost)),
    run(frame) {
      return asBool(condition.run(frame)) ? then.run(frame) : otherwise.run(frame);
    },
  };
}

function isBool({ type }: Expression): boolean {
  return isScalar(type, 'bool') || isDynamic(type);
}

/** One side may determine the result. If neither does, the first error is the result. */
function logical(node: Extract<ASTNode, { readonly op: '&&' | '||' }>, scope: Scope): Expression {
  const operands = operandsOf(node, node.op).map(each => compile(each, scope));
  if (!operands.every(isBool)) {
    const applied = operands.map(({ type }) => formatType(type)).join(', ');
    throw problemAt(node, scope, `found no matching overload for '_${node.op}_' applied to '(${applied})'`);
  }
  const decisive = node.op === '||';
  return {
    type: bool,
    cost: { min: operands[0]?.cost.min ?? 0, max: plus(...operands.map(({ cost }) => cost)).max },
    run(frame) {
      frame.meter.work(operands.length * unitsPerItem);
      return decide(operands, decisive, frame);
    },
  };
}
