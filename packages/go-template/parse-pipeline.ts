// Parses pipelines: the content of an action without keywords. https://pkg.go.dev/text/template#hdr-Pipelines
import { escapedByte } from './bytes.ts';
import { isFunction, type TemplateFunctions } from './function-names.ts';
import type { Token, TokenType } from './lex.ts';
import { parseLimits } from './limits.ts';
import { parseNumber } from './number.ts';
import { goQuote, goUnquote } from './quote.ts';
import type { TokenReader } from './token-reader.ts';
import { type Command, type Operand, operandText, type Pipe } from './tree.ts';

const startsOperand: ReadonlySet<TokenType> = new Set<TokenType>([
  'bool',
  'character constant',
  'dot',
  'field',
  'identifier',
  'number',
  'nil',
  'raw string',
  'string',
  'variable',
  '(',
]);

export class PipelineParser {
  readonly #tokens: TokenReader;
  readonly #functions: TemplateFunctions;
  #variables: readonly string[] = ['$'];

  constructor(tokens: TokenReader, functions: TemplateFunctions) {
    this.#tokens = tokens;
    this.#functions = functions;
  }

  /** Variables that `parse` declares are in scope only during it. */
  inScope<T>(parse: () => T): T {
    const before = this.#variables;
    const parsed = parse();
    this.#variables = before;
    return parsed;
  }

  /** Parses the body of a separate template. Outer variables are not in scope. */
  inOwnScope<T>(parse: () => T): T {
    return this.inScope(() => {
      this.#variables = ['$'];
      return parse();
    });
  }

  /** Parses up to and including the end. `context` is the name of the position in errors. */
  parse(context: string, end: 'close' | ')'): Pipe {
    const { at } = this.#tokens.peekPastSpace();
    const { variables, assigns } = this.#declarations(context);
    const commands: Command[] = [];
    for (;;) {
      const token = this.#tokens.takePastSpace();
      if (token.type === end) {
        this.#checkPipeline(commands, context);
        return { is: 'pipe', at, variables, assigns, commands };
      }
      if (!startsOperand.has(token.type)) {
        this.#tokens.unexpected(token, context);
      }
      this.#tokens.putBack();
      commands.push(this.#command());
    }
  }

  #checkPipeline(commands: readonly Command[], context: string): void {
    if (commands.length === 0) {
      this.#tokens.fail(`missing value for ${context}`);
    }
    const stage = commands.findIndex(
      ({ args }, index) => index > 0 && ['bool', 'dot', 'nil', 'number', 'string'].includes(args[0].is),
    );
    if (stage > 0) {
      this.#tokens.fail(`non executable command in pipeline stage ${stage + 1}`);
    }
  }

  #declarations(context: string): { readonly variables: readonly string[]; readonly assigns: boolean } {
    const variables: string[] = [];
    for (;;) {
      const variable = this.#tokens.peekPastSpace();
      const ahead = this.#tokens.look(1).type === 'space' ? 2 : 1;
      const after = this.#tokens.look(ahead);
      const isComma = after.type === 'char' && after.text === ',';
      if (variable.type !== 'variable' || !(isComma || after.type === 'assign' || after.type === 'declare')) {
        return { variables, assigns: false };
      }
      this.#tokens.skip(ahead + 1);
      variables.push(variable.text);
      this.#declare(variable.text);
      if (!isComma) {
        return { variables, assigns: after.type === 'assign' };
      }
      if (context !== 'range' || variables.length > 1) {
        this.#tokens.fail(`too many declarations in ${context}`);
      }
      if (!['variable', 'close', ')'].includes(this.#tokens.peekPastSpace().type)) {
        this.#tokens.fail('range can only initialize variables');
      }
    }
  }

  #declare(name: string): void {
    if (this.#variables.length > parseLimits.variables) {
      this.#tokens.fail(`limit exceeded: more than ${parseLimits.variables} variables at one place`);
    }
    this.#variables = [...this.#variables, name];
  }

  #command(): Command {
    const { at } = this.#tokens.peekPastSpace();
    const args: Operand[] = [];
    for (;;) {
      this.#tokens.peekPastSpace();
      const operand = this.#operand();
      args.push(...(operand === undefined ? [] : [operand]));
      const token = this.#tokens.take();
      if (token.type === 'space') {
        continue;
      }
      if (token.type === 'close' || token.type === ')') {
        this.#tokens.putBack();
      } else if (token.type !== 'pipe') {
        this.#tokens.unexpected(token, 'operand');
      }
      break;
    }
    const [first, ...rest] = args;
    return first === undefined ? this.#tokens.fail('empty command') : { at, args: [first, ...rest] };
  }

  #operand(): Operand | undefined {
    const node = this.#term();
    const { at } = this.#tokens.peek();
    const path: string[] = [];
    while (node !== undefined && this.#tokens.look().type === 'field') {
      path.push(this.#tokens.take().text.slice(1));
    }
    if (node === undefined || path.length === 0) {
      return node;
    }
    this.#tokens.peek();
    switch (node.is) {
      case 'field':
      case 'variable':
        return { ...node, at, path: [...node.path, ...path] };
      case 'dot':
      case 'bool':
      case 'string':
      case 'number':
      case 'nil':
        return this.#tokens.fail(`unexpected . after term ${goQuote(operandText(node))}`);
      case 'identifier':
      case 'chain':
      case 'pipe':
        return { is: 'chain', at, of: node, path };
    }
  }

  #term(): Operand | undefined {
    const token = this.#tokens.takePastSpace();
    const { at, text } = token;
    switch (token.type) {
      case 'identifier':
        return isFunction(text, this.#functions)
          ? { is: 'identifier', at, name: text }
          : this.#tokens.fail(`function ${goQuote(text)} not defined`);
      case 'dot':
      case 'nil':
        return { is: token.type, at };
      case 'variable':
        return this.#variables.includes(text)
          ? { is: 'variable', at, name: text, path: [] }
          : this.#tokens.fail(`undefined variable ${goQuote(text)}`);
      case 'field':
        return { is: 'field', at, path: [text.slice(1)] };
      case 'bool':
        return { is: 'bool', at, value: text === 'true' };
      case 'character constant':
      case 'number':
        return { is: 'number', at, text, number: this.#number(token) };
      case '(':
        return this.#tokens.nested(() => this.parse('parenthesized pipeline', ')'));
      case 'string':
      case 'raw string':
        return { is: 'string', at, text, value: this.unquote(text) };
      default:
        this.#tokens.putBack();
        return undefined;
    }
  }

  #number({ type, text }: Token) {
    if (type === 'character constant') {
      const value = goUnquote(text);
      if (value === undefined || value === '') {
        return this.#tokens.fail('invalid syntax');
      }
      const code = [...value].length === 1 ? value.codePointAt(0) : undefined;
      if (code === undefined) {
        return this.#tokens.fail(`malformed character constant: ${text}`);
      }
      // '\xff' is the number 255, although this byte is not a character.
      const number = escapedByte(code) ?? code;
      return { int: BigInt(number), float: number, isFloat: false };
    }
    const number = parseNumber(text);
    if (number === undefined) {
      return this.#tokens.fail(`illegal number syntax: ${goQuote(text)}`);
    }
    return 'overflows' in number ? this.#tokens.fail(`integer overflow: ${goQuote(text)}`) : number;
  }

  /** Returns the value of a Go string literal. */
  unquote(literal: string): string {
    return goUnquote(literal) ?? this.#tokens.fail('invalid syntax');
  }
}
