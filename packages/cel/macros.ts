// Macros, which bind variables: has, optMap and the comprehensions over lists and maps.
// https://github.com/google/cel-spec/blob/master/doc/langdef.md#macros
import type { ASTNode } from '@marcbachmann/cel-js';
import { presence } from './access.ts';
import { compileComprehension } from './comprehensions.ts';
import { boundName, type Compile, type Expression, problemAt, type Scope, withVariables } from './expression.ts';
import { asOptional } from './overload.ts';
import { exactly, plus } from './range.ts';
import { type CelType, dyn, formatType, isDynamic, optionalOf } from './type.ts';
import { none, some } from './value.ts';

type CallNode = Extract<ASTNode, { readonly op: 'call' | 'rcall' }>;
type MemberCall = Extract<ASTNode, { readonly op: 'rcall' }>;

/** Returns undefined if the call is not a macro. Throws CompileProblem. */
export function compileMacro(node: CallNode, scope: Scope, compile: Compile): Expression | undefined {
  if (node.op === 'call') {
    return node.args[0] === 'has' ? has(node.args[1], node, { scope, compile }) : undefined;
  }
  const [name, , args] = node.args;
  if ((name === 'optMap' || name === 'optFlatMap') && args.length === 2) {
    return mapOptional(node, scope, compile);
  }
  return compileComprehension(node, scope, compile);
}

interface MacroContext {
  readonly scope: Scope;
  readonly compile: Compile;
}

function has(args: readonly ASTNode[], node: ASTNode, { scope, compile }: MacroContext): Expression {
  const [argument] = args;
  const found = argument === undefined || args.length > 1 ? undefined : presence(argument, scope, compile);
  if (found === undefined) {
    throw problemAt(node, scope, 'invalid argument to has() macro');
  }
  return found;
}

function mapOptional(node: MemberCall, scope: Scope, compile: Compile): Expression {
  const [macro, receiverNode, [nameNode, bodyNode = node]] = node.args;
  const receiver = compile(receiverNode, scope);
  const slot = scope.nextSlot;
  const name = boundName(nameNode, node, scope);
  const body = compile(bodyNode, withVariables(scope, { name, type: valueType(receiver.type, node, scope) }));
  const flat = macro === 'optFlatMap';
  return {
    type: flat ? body.type : optionalOf(body.type),
    cost: plus(receiver.cost, { min: 0, max: body.cost.max }, exactly(2)),
    run(frame) {
      const { value } = asOptional(receiver.run(frame));
      frame.meter.charge(2);
      if (value === undefined) {
        return none;
      }
      frame.slots[slot] = value;
      const result = body.run(frame);
      return flat ? result : some(result);
    },
  };
}

function valueType(type: CelType, node: ASTNode, scope: Scope): CelType {
  if (type.kind === 'optional') {
    return type.of;
  }
  if (isDynamic(type)) {
    return dyn;
  }
  throw problemAt(node, scope, `expected type 'optional_type' but found '${formatType(type)}'`);
}
