// Access to members of objects, maps and lists.
import type { ASTNode } from '@marcbachmann/cel-js';
import { boundsWithin, type Compile, type Expression, problemAt, type Scope } from './expression.ts';
import { one, plus } from './range.ts';
import { bool, type CelType, dyn, formatType, isDynamic, isScalar, join, optionalOf, parseType } from './type.ts';
import { type CelValue, EvaluationProblem, isKind, none, some } from './value.ts';

type Select = Extract<ASTNode, { readonly op: '.' | '.?' }>;
type Index = Extract<ASTNode, { readonly op: '[]' | '[?]' }>;

/** Compiles access to a member of an object or map. */
export function select(node: Select, scope: Scope, compile: Compile): Expression {
  const named = typeByPath(node, scope);
  if (named !== undefined) {
    return named;
  }
  const operand = compile(node.args[0], scope);
  const name = node.args[1];
  const optional = node.op === '.?' || operand.type.kind === 'optional';
  const inner = operand.type.kind === 'optional' ? operand.type.of : operand.type;
  const member = memberType(node, inner, scope);
  return {
    type: optional ? optionalOf(member) : member,
    described: operand.described === true,
    cost: plus(operand.cost, one),
    run(frame) {
      const target = operand.run(frame);
      frame.meter.charge(1);
      return optional ? lookUpOptionally(target, name) : lookUp(target, name);
    },
  };
}

/** `google.protobuf.Timestamp` is one name instead of a chain of members. */
function typeByPath(node: Select, scope: Scope): Expression | undefined {
  const path = scope.source.slice(node.start, node.end);
  const type = parseType(path);
  if (type.kind !== 'scalar' || !path.includes('.')) {
    return undefined;
  }
  const value: CelValue = { kind: 'type', name: path };
  return { type: { kind: 'type', of: type }, cost: one, literal: value, run: () => value };
}

/** Throws CompileProblem if values of the type have no such member. */
function memberType(node: Select, type: CelType, scope: Scope): CelType {
  const name = node.args[1];
  if (type.kind === 'object') {
    const field = type.fields().get(name);
    if (field === undefined) {
      throw problemAt(node, scope, `undefined field '${name}'`);
    }
    return field.type;
  }
  if (type.kind === 'map' && (isScalar(type.key, 'string') || isDynamic(type.key))) {
    return type.of;
  }
  if (isDynamic(type)) {
    return dyn;
  }
  throw problemAt(node, scope, `type '${formatType(type)}' does not support field selection`);
}

function lookUp(target: CelValue, name: string): CelValue {
  const value = isKind(target, 'map') ? target.get(name) : undefined;
  if (value === undefined) {
    throw new EvaluationProblem(`no such key: ${name}`);
  }
  return value;
}

function lookUpOptionally(target: CelValue, key: CelValue): CelValue {
  const inner = isKind(target, 'optional') ? target.value : target;
  const found = inner === undefined ? undefined : elementAt(inner, key);
  return found === undefined ? none : some(found);
}

/** Returns the element of a list or map, or undefined if it is absent. */
function elementAt(target: CelValue, key: CelValue): CelValue | undefined {
  if (isKind(target, 'map')) {
    return target.get(key);
  }
  if (!isKind(target, 'list')) {
    throw new EvaluationProblem('no such overload');
  }
  const position = isKind(key, 'uint') ? Number(key.value) : Number(key);
  if (Number.isNaN(position) || typeof key === 'string') {
    throw new EvaluationProblem('no such overload');
  }
  return target.at(position);
}

/** Compiles access to an element by key or index. */
export function index(node: Index, scope: Scope, compile: Compile): Expression {
  const operand = compile(node.args[0], scope);
  const key = compile(node.args[1], scope);
  const optional = node.op === '[?]' || operand.type.kind === 'optional';
  const inner = operand.type.kind === 'optional' ? operand.type.of : operand.type;
  const type = elementType(inner, key.type);
  if (type === undefined) {
    const applied = `(${formatType(inner)}, ${formatType(key.type)})`;
    throw problemAt(node, scope, `found no matching overload for '_[_]' applied to '${applied}'`);
  }
  return {
    type: optional ? optionalOf(type) : type,
    ...(optional ? {} : boundsWithin(operand, type)),
    cost: plus(operand.cost, key.cost, one),
    run(frame) {
      const target = operand.run(frame);
      const wanted = key.run(frame);
      frame.meter.charge(1);
      return optional ? lookUpOptionally(target, wanted) : elementOrProblem(target, wanted);
    },
  };
}

function elementOrProblem(target: CelValue, key: CelValue): CelValue {
  const found = elementAt(target, key);
  if (found === undefined) {
    const shown = isKind(key, 'uint') ? key.value : String(key);
    throw new EvaluationProblem(isKind(target, 'list') ? `index out of bounds: ${shown}` : `no such key: ${shown}`);
  }
  return found;
}

function elementType(type: CelType, key: CelType): CelType | undefined {
  if (type.kind === 'list') {
    return isScalar(key, 'int', 'uint', 'double') || isDynamic(key) ? type.of : undefined;
  }
  if (type.kind === 'map') {
    return join(type.key, key) === undefined ? undefined : type.of;
  }
  return isDynamic(type) ? dyn : undefined;
}

/** Tests whether a member exists: `has(a.b)`. Returns undefined if the argument is not a selection. */
export function presence(node: ASTNode, scope: Scope, compile: Compile): Expression | undefined {
  if (node.op !== '.' && node.op !== '.?') {
    return undefined;
  }
  const operand = compile(node.args[0], scope);
  const name = node.args[1];
  memberType(node, operand.type.kind === 'optional' ? operand.type.of : operand.type, scope);
  return {
    type: bool,
    cost: operand.cost,
    run(frame) {
      const found = operand.run(frame);
      const target = isKind(found, 'optional') ? found.value : found;
      if (target !== undefined && !isKind(target, 'map')) {
        throw new EvaluationProblem('no such overload');
      }
      // A null that the schema allows is treated as absent.
      return (target?.get(name) ?? null) !== null;
    },
  };
}
