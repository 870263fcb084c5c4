// Evaluates pipelines: fields, variables and function calls. https://pkg.go.dev/text/template#hdr-Pipelines
import { convert, FunctionError, type FunctionTable, nameOfParam, nilOf, type TemplateFunction } from './call.ts';
import { plain, type Reflected, type RenderFrame } from './frame.ts';
import { isLimit } from './limits.ts';
import { workOfOperands } from './operand-work.ts';
import { goQuote } from './quote.ts';
import { type Command, type NumberLiteral, type Operand, operandText, type Pipe } from './tree.ts';
import { anyType, Dict, Int, int, isTrue, List, Opaque, type Param, type TemplateValue, typeOf } from './value.ts';

/** The result of the previous command in the pipeline. Undefined for the first command. */
type Final = { readonly value: TemplateValue } | undefined;

type Constant =
  | Extract<Operand, { is: 'bool' }>
  | Extract<Operand, { is: 'number' }>
  | Extract<Operand, { is: 'string' }>;

interface Access {
  readonly node: Operand;
  readonly path: readonly string[];
  readonly dot: Reflected;
  /** The arguments include the operand itself as the first. */
  readonly args: readonly Operand[];
  readonly final: Final;
}

interface Call {
  readonly name: string;
  readonly called: TemplateFunction;
  readonly command: Command;
  readonly final: Final;
}

export class Evaluator {
  readonly #functions: FunctionTable;
  readonly #frame: RenderFrame;

  constructor(functions: FunctionTable, frame: RenderFrame) {
    this.#functions = functions;
    this.#frame = frame;
  }

  /** Returns the value of a pipeline. Declares and assigns its variables. */
  pipe(dot: Reflected, pipe: Pipe): TemplateValue {
    this.#frame.at = pipe;
    let final: Final;
    for (const command of pipe.commands) {
      final = { value: this.#command(dot, command, final) ?? undefined };
    }
    for (const name of pipe.variables) {
      if (pipe.assigns) {
        this.#frame.variable(name).place = plain(final?.value);
      } else {
        this.#frame.variables.push({ name, place: plain(final?.value) });
      }
    }
    return final?.value;
  }

  #command(dot: Reflected, command: Command, final: Final): TemplateValue {
    this.#frame.step();
    const [first] = command.args;
    switch (first.is) {
      case 'field':
        this.#frame.at = first;
        return this.#path(dot, { node: first, path: first.path, dot, args: command.args, final });
      case 'variable':
        return this.#variablePath(first, { dot, args: command.args, final });
      case 'chain':
        return this.#chain(dot, first, { args: command.args, final });
      case 'identifier':
        return this.#function(dot, first, { command, final });
      case 'pipe':
        this.#refuseArguments(command, final);
        return this.#frame.nested(() => this.pipe(dot, first));
      case 'dot':
      case 'nil':
      case 'bool':
      case 'number':
      case 'string':
        this.#frame.at = first;
        this.#refuseArguments(command, final);
        return this.#simple(dot, first);
    }
  }

  #simple(
    dot: Reflected,
    node: Constant | Extract<Operand, { is: 'dot' }> | Extract<Operand, { is: 'nil' }>,
  ): TemplateValue {
    if (node.is === 'dot') {
      return dot.value;
    }
    return node.is === 'nil' ? this.#frame.fail('nil is not a command') : this.#constant(node);
  }

  #refuseArguments({ args }: Command, final: Final): void {
    if (args.length > 1 || final !== undefined) {
      this.#frame.fail(`can't give argument to non-function ${operandText(args[0])}`);
    }
  }

  #variablePath(
    node: Extract<Operand, { is: 'variable' }>,
    { dot, args, final }: { readonly dot: Reflected; readonly args: readonly Operand[]; readonly final: Final },
  ): TemplateValue {
    this.#frame.at = node;
    const { place } = this.#frame.variable(node.name);
    if (node.path.length > 0) {
      return this.#path(place, { node, path: node.path, dot, args, final });
    }
    if (args.length > 1 || final !== undefined) {
      this.#frame.fail(`can't give argument to non-function ${operandText(node)}`);
    }
    return place.value;
  }

  #chain(
    dot: Reflected,
    node: Extract<Operand, { is: 'chain' }>,
    { args, final }: { readonly args: readonly Operand[]; readonly final: Final },
  ): TemplateValue {
    this.#frame.at = node;
    const of =
      node.of.is === 'pipe'
        ? this.#frame.nested(() => this.#argument(dot, node.of, 'value'))
        : this.#argument(dot, node.of, 'value');
    return this.#path(plain(of), { node, path: node.path, dot, args, final });
  }

  #path(receiver: Reflected, { path, ...access }: Access): TemplateValue {
    this.#frame.spend(path.length / partsPerStep);
    let place = receiver;
    for (const [index, name] of path.entries()) {
      const isLast = index === path.length - 1;
      place = this.#field(place, name, isLast ? { path, ...access } : { ...access, path, args: [], final: undefined });
    }
    return place.value;
  }

  #field({ value, boxed }: Reflected, name: string, { node, dot, args, final }: Access): Reflected {
    const isStrict = this.#frame.template.options.missingKey === 'error';
    if (value === undefined) {
      return isStrict ? this.#frame.fail(`nil data; no entry for key ${goQuote(name)}`) : plain(undefined);
    }
    if (value === null) {
      return this.#frame.fail(`nil pointer evaluating ${anyType}.${name}`);
    }
    if (value instanceof Opaque) {
      return plain(this.#method(value, name, { node, path: [], dot, args, final }));
    }
    if (!(value instanceof Dict)) {
      return this.#frame.fail(`can't evaluate field ${name} in type ${boxed ? anyType : typeOf(value)}`);
    }
    if (args.length > 1 || final !== undefined) {
      this.#frame.fail(`${name} is not a method but has arguments`);
    }
    if (!value.entries.has(name)) {
      return isStrict ? this.#frame.fail(`map has no entry for key ${goQuote(name)}`) : plain(undefined);
    }
    return { value: value.entries.get(name), boxed: value.element === anyType };
  }

  #method(of: Opaque, name: string, { node, dot, args, final }: Access): TemplateValue {
    const method = Object.hasOwn(of.methods, name) ? of.methods[name] : undefined;
    if (method === undefined) {
      return this.#frame.fail(`can't evaluate field ${name} in type ${of.type}`);
    }
    const { params, run } = method;
    const command: Command = { at: node.at, args: [node, ...args.slice(1)] };
    return this.#call(dot, { name, called: { params, rest: undefined, run }, command, final });
  }

  #function(
    dot: Reflected,
    node: Extract<Operand, { is: 'identifier' }>,
    { command, final }: { readonly command: Command; readonly final: Final },
  ): TemplateValue {
    this.#frame.at = node;
    const { name } = node;
    const called = Object.hasOwn(this.#functions, name) ? this.#functions[name] : undefined;
    if (called === undefined) {
      return this.#frame.fail(`${goQuote(name)} is not a defined function`);
    }
    return this.#call(dot, { name, called, command, final });
  }

  #call(dot: Reflected, { name, called, command, final }: Call): TemplateValue {
    const [, ...operands] = command.args;
    this.#checkCount(called, { name, given: operands.length, final });
    if (name === 'and' || name === 'or') {
      return this.#shortCircuit(dot, { operands, final, stopsAt: name === 'or' });
    }
    const args = operands.map((operand, index) => this.#argument(dot, operand, paramAt(called, index)));
    if (final !== undefined) {
      args.push(this.#converted(final.value, paramAt(called, args.length)));
    }
    try {
      this.#frame.meter.spend(args.reduce<number>((sum, arg) => sum + sizeOf(arg), 1 + args.length / partsPerStep));
      this.#frame.meter.work(workOfOperands(name, args));
      const result = called.run(args, this.#frame.meter);
      this.#frame.meter.spend(sizeOf(result));
      this.#frame.meter.created(result);
      return result;
    } catch (error) {
      this.#frame.at = command;
      if (error instanceof FunctionError) {
        return this.#frame.fail(`error calling ${name}: ${error.message}`);
      }
      return isLimit(error) ? this.#frame.fail(error.message) : rethrow(error);
    }
  }

  #checkCount(
    { params, rest }: TemplateFunction,
    { name, given, final }: { readonly name: string; readonly given: number; readonly final: Final },
  ): void {
    const got = given + (final === undefined ? 0 : 1);
    if (rest !== undefined && got < params.length) {
      this.#frame.fail(`wrong number of args for ${name}: want at least ${params.length} got ${given}`);
    }
    if (rest === undefined && got !== params.length) {
      this.#frame.fail(`wrong number of args for ${name}: want ${params.length} got ${got}`);
    }
  }

  #shortCircuit(
    dot: Reflected,
    {
      operands,
      final,
      stopsAt,
    }: { readonly operands: readonly Operand[]; readonly final: Final; readonly stopsAt: boolean },
  ): TemplateValue {
    this.#frame.spend(operands.length / partsPerStep);
    let value: TemplateValue;
    for (const operand of operands) {
      value = this.#argument(dot, operand, 'value');
      if (isTrue(value) === stopsAt) {
        return value;
      }
    }
    return final === undefined ? value : final.value;
  }

  #converted(value: TemplateValue, param: Param): TemplateValue {
    const converted = convert(value, param);
    return converted.ok ? converted.value : this.#frame.fail(converted.error);
  }

  #argument(dot: Reflected, node: Operand, param: Param): TemplateValue {
    this.#frame.at = node;
    switch (node.is) {
      case 'dot':
        return this.#converted(dot.value, param);
      case 'nil': {
        const nothing = nilOf(param);
        return nothing === undefined && param !== 'value'
          ? this.#frame.fail(`cannot assign nil to ${nameOfParam(param)}`)
          : nothing;
      }
      case 'field':
        return this.#converted(this.#path(dot, { node, path: node.path, dot, args: [], final: undefined }), param);
      case 'variable':
        return this.#converted(this.#variablePath(node, { dot, args: [], final: undefined }), param);
      case 'pipe':
        return this.#converted(
          this.#frame.nested(() => this.pipe(dot, node)),
          param,
        );
      case 'identifier': {
        const command: Command = { at: node.at, args: [node] };
        return this.#converted(this.#function(dot, node, { command, final: undefined }), param);
      }
      case 'chain':
        return this.#converted(this.#chain(dot, node, { args: [], final: undefined }), param);
      case 'bool':
      case 'number':
      case 'string':
        return this.#literal(node, param);
    }
  }

  #literal(node: Constant, param: Param): TemplateValue {
    switch (param) {
      case 'any':
      case 'value':
        return this.#constant(node);
      case 'string':
        return node.is === 'string' ? node.value : this.#frame.fail(`expected string; found ${operandText(node)}`);
      case 'bool':
        return node.is === 'bool' ? node.value : this.#frame.fail(`expected bool; found ${operandText(node)}`);
      case 'float64':
        return (
          (node.is === 'number' ? node.number.float : undefined) ??
          this.#frame.fail(`expected float; found ${operandText(node)}`)
        );
      case 'int':
      case 'int64': {
        const whole = node.is === 'number' ? node.number.int : undefined;
        return whole === undefined
          ? this.#frame.fail(`expected integer; found ${operandText(node)}`)
          : new Int(param, whole);
      }
      case 'uint32': {
        const whole = node.is === 'number' ? node.number.int : undefined;
        return whole === undefined || whole < 0n
          ? this.#frame.fail(`expected unsigned integer; found ${operandText(node)}`)
          : new Int(param, BigInt.asUintN(32, whole));
      }
      case 'dict':
      case 'list':
      case 'time':
      case 'version':
      case 'certificate':
        return this.#frame.fail(`can't handle ${operandText(node)} for arg of type ${nameOfParam(param)}`);
    }
  }

  #constant(node: Constant): TemplateValue {
    return node.is === 'number' ? this.#number(node.number, node.text) : node.value;
  }

  #number({ int: whole, float, isFloat }: NumberLiteral, text: string): TemplateValue {
    if (isFloat) {
      return float;
    }
    return whole === undefined ? this.#frame.fail(`${text} overflows int`) : int(whole);
  }
}

function rethrow(error: unknown): never {
  throw error;
}

function paramAt({ params, rest }: TemplateFunction, index: number): Param {
  return params[index] ?? rest ?? 'any';
}

/** Arguments, and fields of a path. A command may have thousands of them. */
const partsPerStep = 4;

/** The number of steps grows with the characters, because most functions visit every character. */
const charactersPerStep = 20;

/** The number of steps for reading or writing the value in a function. */
function sizeOf(value: TemplateValue): number {
  if (typeof value === 'string') {
    return value.length / charactersPerStep;
  }
  return value instanceof List ? value.items.length : value instanceof Dict ? value.entries.size : 0;
}
