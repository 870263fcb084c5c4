// Iteration over lists and maps, with one variable (element or key) or two (index or key, and value).
// https://pkg.go.dev/github.com/google/cel-go/ext#TwoVarComprehensions

import type { ASTNode } from '@marcbachmann/cel-js';
import { decide } from './decide.ts';
import {
  boundName,
  boundsWithin,
  type Compile,
  type Expression,
  type Frame,
  problemAt,
  type Scope,
  sizeOfExpression,
  withVariables,
} from './expression.ts';
import { asBool } from './overload.ts';
import { exactly, plus, type Range, times, upTo } from './range.ts';
import { bool, type CelType, dyn, formatType, int, isDynamic, isScalar, listOf, mapOf } from './type.ts';
import { type CelValue, EvaluationProblem, isKind, toList, toMap } from './value.ts';

type MemberCall = Extract<ASTNode, { readonly op: 'rcall' }>;

interface Loop {
  readonly range: Expression;
  /** The maximum number of iterations. */
  readonly count: Range;
  readonly keyType: CelType;
  readonly filter: Expression | undefined;
  readonly body: Expression;
  /** Yields the iterations. Each one sets the variables and charges `overhead`. */
  rounds(frame: Frame): Iterable<Round>;
}

interface Round {
  readonly key: CelValue;
}

interface Shape {
  readonly variables: 1 | 2;
  /** Whether one of the arguments after the variables is a filter. */
  readonly filtered: boolean;
  readonly finish: (loop: Loop, at: ScopedNode) => Expression;
  /** The steps of each iteration in addition to its body. */
  readonly overhead: number;
}

interface ScopedNode {
  readonly node: ASTNode;
  readonly scope: Scope;
}

/** The steps before the first iteration and after the last. */
const around = exactly(1);
const listAround = exactly(11);

const shapes: Readonly<Record<string, Shape>> = {
  'all/2': { variables: 1, filtered: false, finish: quantifier(false), overhead: 3 },
  'exists/2': { variables: 1, filtered: false, finish: quantifier(true), overhead: 4 },
  'exists_one/2': { variables: 1, filtered: false, finish: exactlyOne, overhead: 2 },
  'filter/2': { variables: 1, filtered: false, finish: filter, overhead: 13 },
  'map/2': { variables: 1, filtered: false, finish: transform, overhead: 12 },
  'map/3': { variables: 1, filtered: true, finish: transform, overhead: 12 },
  'all/3': { variables: 2, filtered: false, finish: quantifier(false), overhead: 3 },
  'exists/3': { variables: 2, filtered: false, finish: quantifier(true), overhead: 4 },
  'exists_one/3': { variables: 2, filtered: false, finish: exactlyOne, overhead: 2 },
  'existsOne/3': { variables: 2, filtered: false, finish: exactlyOne, overhead: 2 },
  'transformList/3': { variables: 2, filtered: false, finish: transform, overhead: 12 },
  'transformList/4': { variables: 2, filtered: true, finish: transform, overhead: 12 },
  'transformMap/3': { variables: 2, filtered: false, finish: transformMap, overhead: 3 },
  'transformMap/4': { variables: 2, filtered: true, finish: transformMap, overhead: 3 },
  'transformMapEntry/3': { variables: 2, filtered: false, finish: transformEntries, overhead: 3 },
  'transformMapEntry/4': { variables: 2, filtered: true, finish: transformEntries, overhead: 3 },
};

/** Returns undefined if the call is not a comprehension. Throws CompileProblem. */
export function compileComprehension(node: MemberCall, scope: Scope, compile: Compile): Expression | undefined {
  const [name, , args] = node.args;
  const shape = shapes[`${name}/${args.length}`];
  return shape === undefined ? undefined : shape.finish(toLoop(node, shape, { scope, compile }), { node, scope });
}

function toLoop(node: MemberCall, shape: Shape, { scope, compile }: { scope: Scope; compile: Compile }): Loop {
  const [, receiver, args] = node.args;
  const range = compile(receiver, scope);
  const { key, value } = elementTypes(range.type, receiver, scope);
  const names = args.slice(0, shape.variables).map(arg => boundName(arg, node, scope));
  if (new Set(names).size < names.length) {
    throw problemAt(node, scope, `duplicate variable name '${names[0]}'`);
  }
  const single = range.type.kind === 'map' ? key : value;
  const types = shape.variables === 1 ? [single] : [key, value];
  const inner = withVariables(
    scope,
    ...names.map((name, at) => ({ name, type: types[at] ?? dyn, ...boundsWithin(range, types[at] ?? dyn) })),
  );
  const parts = args.slice(shape.variables).map(arg => compile(arg, inner));
  const filterPart = shape.filtered ? parts[0] : undefined;
  const body = parts.at(-1);
  if (body === undefined) {
    throw problemAt(node, scope, 'macro without an expression');
  }
  checkBool(filterPart, node, scope);
  return {
    range,
    count: sizeOfExpression(range),
    keyType: key,
    filter: filterPart,
    body,
    rounds: frame => roundsOf(range.run(frame), { frame, shape, slot: scope.nextSlot }),
  };
}

function checkBool(part: Expression | undefined, node: ASTNode, scope: Scope): void {
  if (part !== undefined && !isScalar(part.type, 'bool') && !isDynamic(part.type)) {
    throw problemAt(node, scope, `expected type 'bool' but found '${formatType(part.type)}'`);
  }
}

function elementTypes(type: CelType, node: ASTNode, scope: Scope): { readonly key: CelType; readonly value: CelType } {
  if (type.kind === 'list') {
    return { key: int, value: type.of };
  }
  if (type.kind === 'map') {
    return { key: type.key, value: type.of };
  }
  if (isDynamic(type)) {
    return { key: dyn, value: dyn };
  }
  const shown = formatType(type);
  throw problemAt(
    node,
    scope,
    `expression of type '${shown}' cannot be range of a comprehension (must be list, map, or dynamic)`,
  );
}

interface Running {
  readonly frame: Frame;
  readonly shape: Shape;
  readonly slot: number;
}

function* roundsOf(range: CelValue, { frame, shape, slot }: Running): Iterable<Round> {
  const set = (key: CelValue, value: CelValue): Round => {
    frame.meter.charge(shape.overhead);
    frame.slots[slot] = shape.variables === 1 && isKind(range, 'list') ? value : key;
    frame.slots[slot + 1] = shape.variables === 2 ? value : undefined;
    return { key };
  };
  if (isKind(range, 'list')) {
    for (let at = 0; at < range.size; at += 1) {
      yield set(BigInt(at), range.at(at) ?? null);
    }
  } else if (isKind(range, 'map')) {
    for (const key of range.keys()) {
      yield set(key, range.get(key) ?? null);
    }
  } else {
    throw new EvaluationProblem('no such overload');
  }
}

function costOfLoop({ range, count, filter: condition, body }: Loop, overhead: number, base: Range): Range {
  const step = plus(exactly(overhead), condition?.cost ?? exactly(0), body.cost);
  return plus(range.cost, base, times(count, step));
}

function* eachRound(loop: Loop, frame: Frame): Generator<Expression> {
  for (const _ of loop.rounds(frame)) {
    yield loop.body;
  }
}

/** `all` and `exists`: one iteration may determine the result. Then errors of other iterations are ignored. */
function quantifier(decisive: boolean): Shape['finish'] {
  return (loop, { node, scope }) => {
    checkBool(loop.body, node, scope);
    return {
      type: bool,
      cost: costOfLoop(loop, decisive ? 4 : 3, around),
      run: frame => decide(eachRound(loop, frame), decisive, frame),
    };
  };
}

function exactlyOne(loop: Loop, { node, scope }: ScopedNode): Expression {
  checkBool(loop.body, node, scope);
  return {
    type: bool,
    cost: costOfLoop(loop, 2, exactly(2)),
    run(frame) {
      let found = 0;
      for (const _ of loop.rounds(frame)) {
        found += asBool(loop.body.run(frame)) ? 1 : 0;
      }
      return found === 1;
    },
  };
}

function filter(loop: Loop, { node, scope }: ScopedNode): Expression {
  checkBool(loop.body, node, scope);
  const { type } = loop.range;
  const slot = scope.nextSlot;
  return {
    type: listOf(type.kind === 'list' ? type.of : type.kind === 'map' ? type.key : dyn),
    size: upTo(loop.count.max),
    cost: costOfLoop(loop, 13, listAround),
    run(frame) {
      const kept: CelValue[] = [];
      for (const _ of loop.rounds(frame)) {
        const element = frame.slots[slot];
        if (asBool(loop.body.run(frame)) && element !== undefined) {
          kept.push(element);
        }
      }
      return toList(kept);
    },
  };
}

function passes({ filter: condition }: Loop, frame: Frame): boolean {
  return condition === undefined || asBool(condition.run(frame));
}

function transform(loop: Loop): Expression {
  return {
    type: listOf(loop.body.type),
    size: loop.filter === undefined ? loop.count : upTo(loop.count.max),
    cost: costOfLoop(loop, 12, listAround),
    run(frame) {
      const results: CelValue[] = [];
      for (const _ of loop.rounds(frame)) {
        if (passes(loop, frame)) {
          results.push(loop.body.run(frame));
        }
      }
      return toList(results);
    },
  };
}

function transformMap(loop: Loop): Expression {
  return {
    type: mapOf(loop.keyType, loop.body.type),
    size: upTo(loop.count.max),
    cost: costOfLoop(loop, 3, exactly(31)),
    run(frame) {
      const entries: [CelValue, CelValue][] = [];
      for (const { key } of loop.rounds(frame)) {
        if (passes(loop, frame)) {
          entries.push([key, loop.body.run(frame)]);
        }
      }
      return toMap(entries);
    },
  };
}

function transformEntries(loop: Loop, { node, scope }: ScopedNode): Expression {
  const { type } = loop.body;
  if (type.kind !== 'map' && !isDynamic(type)) {
    throw problemAt(node, scope, `expected type 'map' but found '${formatType(type)}'`);
  }
  return {
    type,
    size: upTo(loop.count.max),
    cost: costOfLoop(loop, 3, exactly(31)),
    run(frame) {
      const entries: [CelValue, CelValue][] = [];
      for (const _ of loop.rounds(frame)) {
        if (passes(loop, frame)) {
          // A call cannot have as many arguments as a map can have entries.
          for (const entry of entriesOf(loop.body.run(frame))) {
            entries.push(entry);
          }
        }
      }
      const result = toMap(entries);
      if (result.size < entries.length) {
        throw new EvaluationProblem('insert failed: key already exists');
      }
      return result;
    },
  };
}

function entriesOf(value: CelValue): readonly [CelValue, CelValue][] {
  if (!isKind(value, 'map')) {
    throw new EvaluationProblem('no such overload');
  }
  return value.keys().map(key => [key, value.get(key) ?? null]);
}
