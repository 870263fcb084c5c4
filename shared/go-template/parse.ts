// From the text of a template to its tree, with Go's errors. https://pkg.go.dev/text/template#hdr-Actions
import { type Checked, invalid, valid } from '../api/checked.ts';
import { isFunction, type TemplateFunctions } from './function-names.ts';
import { lex, shown, type Token, type TokenType } from './lex.ts';
import { parseLimits } from './limits.ts';
import { parseNumber } from './number.ts';
import { goQuote, goUnquote } from './quote.ts';
import { type Branch, type Command, type Node, type Operand, operandText, type Pipe } from './tree.ts';

export interface ParseOptions {
  /** What errors call the template. */
  readonly name: string;
  readonly functions: TemplateFunctions;
  /** What a key is that a map does not have: no value, or the end of rendering. */
  readonly missingKey: 'default' | 'error';
}

export interface ParsedTemplate {
  readonly text: string;
  readonly options: ParseOptions;
  readonly body: readonly Node[];
  /** Of `define` and `block`, by name. */
  readonly definitions: ReadonlyMap<string, readonly Node[]>;
}

/** Never throws; the error is Go's: `template: <name>:<line>: …`. */
export function parseTemplate(text: string, options: ParseOptions): Checked<ParsedTemplate> {
  if (text.length > parseLimits.length) {
    return invalid(`template: ${options.name}:1: limit exceeded: more than ${parseLimits.length} characters`);
  }
  try {
    return valid(new Parser(text, options).run());
  } catch (error) {
    if (error instanceof ParseError) {
      return invalid(error.message);
    }
    throw error;
  }
}

class ParseError extends Error {}

/** Where a list of nodes ended. */
interface Listed {
  readonly nodes: readonly Node[];
  readonly end: 'end' | 'else';
}

type Ending = { readonly ends: 'end' | 'else' };

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

class Parser {
  readonly #text: string;
  readonly #options: ParseOptions;
  readonly #tokens: readonly Token[];
  readonly #definitions = new Map<string, readonly Node[]>();
  #next = 0;
  #line = 1;
  #variables: readonly string[] = ['$'];
  #ranges = 0;
  #depth = 0;

  constructor(text: string, options: ParseOptions) {
    this.#text = text;
    this.#options = options;
    this.#tokens = lex(text);
  }

  run(): ParsedTemplate {
    const body: Node[] = [];
    while (this.#peek().type !== 'eof') {
      if (this.#isDefinition()) {
        this.#definition();
        continue;
      }
      const node = this.#textOrAction();
      if ('ends' in node) {
        this.#fail(`unexpected {{${node.ends}}}`);
      }
      body.push(node);
    }
    return { text: this.#text, options: this.#options, body, definitions: this.#definitions };
  }

  #fail(problem: string): never {
    throw new ParseError(`template: ${this.#options.name}:${this.#line}: ${problem}`);
  }

  /** The token after `ahead` others; the last one stays. */
  #look(ahead = 0): Token {
    const token = this.#tokens[Math.min(this.#next + ahead, this.#tokens.length - 1)];
    return token ?? { type: 'eof', text: '', at: this.#text.length, line: 1 };
  }

  #peek(): Token {
    const token = this.#look();
    this.#line = token.line;
    return token;
  }

  #take(): Token {
    const token = this.#peek();
    this.#next += 1;
    return token;
  }

  #skipSpace(): void {
    if (this.#look().type === 'space') {
      this.#next += 1;
    }
  }

  #takePastSpace(): Token {
    this.#skipSpace();
    return this.#take();
  }

  #peekPastSpace(): Token {
    this.#skipSpace();
    return this.#peek();
  }

  #unexpected(token: Token, context: string): never {
    return this.#fail(token.type === 'error' ? token.text : `unexpected ${shown(token)} in ${context}`);
  }

  #expectClose(context: string): void {
    const token = this.#takePastSpace();
    if (token.type !== 'close') {
      this.#unexpected(token, context);
    }
  }

  /** Counts blocks and parentheses inside each other. */
  #nested<T>(parse: () => T): T {
    this.#depth += 1;
    if (this.#depth > parseLimits.depth) {
      this.#fail(`limit exceeded: more than ${parseLimits.depth} blocks or parentheses inside each other`);
    }
    const parsed = parse();
    this.#depth -= 1;
    return parsed;
  }

  #isDefinition(): boolean {
    const after = this.#look(1).type === 'space' ? this.#look(2) : this.#look(1);
    return this.#look().type === 'open' && after.type === 'keyword' && after.text === 'define';
  }

  #definition(): void {
    this.#take();
    this.#takePastSpace();
    const context = 'define clause';
    const name = this.#name(context);
    this.#expectClose(context);
    this.#define(name, this.#separately(context));
  }

  #name(context: string): string {
    const token = this.#takePastSpace();
    if (token.type !== 'string' && token.type !== 'raw string') {
      return this.#unexpected(token, context);
    }
    return this.#unquote(token.text);
  }

  #unquote(literal: string): string {
    return goUnquote(literal) ?? this.#fail('invalid syntax');
  }

  /** The body of a template of its own, up to its `end`. */
  #separately(context: string): readonly Node[] {
    const [variables, ranges] = [this.#variables, this.#ranges];
    this.#variables = ['$'];
    this.#ranges = 0;
    const { nodes, end } = this.#nested(() => this.#list());
    if (end !== 'end') {
      this.#fail(`unexpected {{${end}}} in ${context}`);
    }
    this.#variables = variables;
    this.#ranges = ranges;
    return nodes;
  }

  #define(name: string, nodes: readonly Node[]): void {
    const known = this.#definitions.get(name);
    if (known !== undefined && !isEmpty(known)) {
      if (!isEmpty(nodes)) {
        this.#fail(`template: multiple definition of template ${goQuote(name)}`);
      }
      return;
    }
    this.#definitions.set(name, nodes);
  }

  #list(): Listed {
    const nodes: Node[] = [];
    while (this.#peekPastSpace().type !== 'eof') {
      const node = this.#textOrAction();
      if ('ends' in node) {
        return { nodes, end: node.ends };
      }
      nodes.push(node);
    }
    return this.#fail('unexpected EOF');
  }

  #textOrAction(): Node | Ending {
    const token = this.#takePastSpace();
    if (token.type === 'text') {
      return { is: 'text', text: token.text, at: token.at };
    }
    return token.type === 'open' ? this.#action() : this.#unexpected(token, 'input');
  }

  #action(): Node | Ending {
    const token = this.#peekPastSpace();
    if (token.type !== 'keyword' || token.text === 'define') {
      const pipe = this.#withVariables(() => this.#pipeline('command', 'close'), true);
      return { is: 'action', at: token.at, pipe };
    }
    this.#take();
    const { at } = token;
    switch (token.text) {
      case 'if':
      case 'with':
      case 'range':
        return this.#branch(token.text, at);
      case 'template':
        return this.#invocation();
      case 'block':
        return this.#block();
      case 'break':
      case 'continue':
        return this.#leave(token.text, at);
      case 'else':
        return this.#else();
      default:
        this.#expectClose('end');
        return { ends: 'end' };
    }
  }

  #else(): Ending {
    const next = this.#peekPastSpace();
    if (!(next.type === 'keyword' && (next.text === 'if' || next.text === 'with'))) {
      this.#expectClose('else');
    }
    return { ends: 'else' };
  }

  #leave(is: 'break' | 'continue', at: number): Node {
    const token = this.#takePastSpace();
    if (token.type !== 'close') {
      this.#unexpected(token, `{{${is}}}`);
    }
    if (this.#ranges === 0) {
      this.#fail(`{{${is}}} outside {{range}}`);
    }
    return { is, at };
  }

  /** Variables that `parse` declares are known in it alone, unless they are kept. */
  #withVariables<T>(parse: () => T, keep = false): T {
    const before = this.#variables;
    const parsed = parse();
    this.#variables = keep ? this.#variables : before;
    return parsed;
  }

  #branch(is: Branch['is'], at: number): Branch {
    return this.#nested(() =>
      this.#withVariables(() => {
        const pipe = this.#pipeline(is, 'close');
        this.#ranges += is === 'range' ? 1 : 0;
        const { nodes: body, end } = this.#list();
        this.#ranges -= is === 'range' ? 1 : 0;
        return { is, at, pipe, body, otherwise: end === 'else' ? this.#otherwise(is) : undefined };
      }),
    );
  }

  #otherwise(is: Branch['is']): readonly Node[] {
    const next = this.#peek();
    if (next.type === 'keyword' && next.text === is && is !== 'range') {
      this.#take();
      return [this.#branch(is, next.at)];
    }
    const { nodes, end } = this.#list();
    return end === 'end' ? nodes : this.#fail('expected end; found {{else}}');
  }

  #invocation(): Node {
    const context = 'template clause';
    const { at } = this.#peekPastSpace();
    const name = this.#name(context);
    return { is: 'template', at, name, pipe: this.#argument(context) };
  }

  #argument(context: string): Pipe | undefined {
    if (this.#peekPastSpace().type === 'close') {
      this.#take();
      return undefined;
    }
    return this.#withVariables(() => this.#pipeline(context, 'close'), true);
  }

  #block(): Node {
    const context = 'block clause';
    const { at } = this.#peekPastSpace();
    const name = this.#name(context);
    const pipe = this.#pipeline(context, 'close');
    this.#define(name, this.#separately(context));
    return { is: 'template', at, name, pipe };
  }

  #pipeline(context: string, end: 'close' | ')'): Pipe {
    const { at } = this.#peekPastSpace();
    const { variables, assigns } = this.#declarations(context);
    const commands: Command[] = [];
    for (;;) {
      const token = this.#takePastSpace();
      if (token.type === end) {
        this.#checkPipeline(commands, context);
        return { is: 'pipe', at, variables, assigns, commands };
      }
      if (!startsOperand.has(token.type)) {
        this.#unexpected(token, context);
      }
      this.#next -= 1;
      commands.push(this.#command());
    }
  }

  #checkPipeline(commands: readonly Command[], context: string): void {
    if (commands.length === 0) {
      this.#fail(`missing value for ${context}`);
    }
    const stage = commands.findIndex(
      ({ args }, index) => index > 0 && ['bool', 'dot', 'nil', 'number', 'string'].includes(args[0].is),
    );
    if (stage > 0) {
      this.#fail(`non executable command in pipeline stage ${stage + 1}`);
    }
  }

  #declarations(context: string): { readonly variables: readonly string[]; readonly assigns: boolean } {
    const variables: string[] = [];
    for (;;) {
      const variable = this.#peekPastSpace();
      const ahead = this.#look(1).type === 'space' ? 2 : 1;
      const after = this.#look(ahead);
      const isComma = after.type === 'char' && after.text === ',';
      if (variable.type !== 'variable' || !(isComma || after.type === 'assign' || after.type === 'declare')) {
        return { variables, assigns: false };
      }
      this.#next += ahead + 1;
      variables.push(variable.text);
      this.#declare(variable.text);
      if (!isComma) {
        return { variables, assigns: after.type === 'assign' };
      }
      if (context !== 'range' || variables.length > 1) {
        this.#fail(`too many declarations in ${context}`);
      }
      if (!['variable', 'close', ')'].includes(this.#peekPastSpace().type)) {
        this.#fail('range can only initialize variables');
      }
    }
  }

  #declare(name: string): void {
    if (this.#variables.length > parseLimits.variables) {
      this.#fail(`limit exceeded: more than ${parseLimits.variables} variables at one place`);
    }
    this.#variables = [...this.#variables, name];
  }

  #command(): Command {
    const { at } = this.#peekPastSpace();
    const args: Operand[] = [];
    for (;;) {
      this.#peekPastSpace();
      const operand = this.#operand();
      args.push(...(operand === undefined ? [] : [operand]));
      const token = this.#take();
      if (token.type === 'space') {
        continue;
      }
      if (token.type === 'close' || token.type === ')') {
        this.#next -= 1;
      } else if (token.type !== 'pipe') {
        this.#unexpected(token, 'operand');
      }
      break;
    }
    const [first, ...rest] = args;
    return first === undefined ? this.#fail('empty command') : { at, args: [first, ...rest] };
  }

  #operand(): Operand | undefined {
    const node = this.#term();
    const { at } = this.#peek();
    const path: string[] = [];
    while (node !== undefined && this.#look().type === 'field') {
      path.push(this.#take().text.slice(1));
    }
    if (node === undefined || path.length === 0) {
      return node;
    }
    this.#peek();
    switch (node.is) {
      case 'field':
      case 'variable':
        return { ...node, at, path: [...node.path, ...path] };
      case 'dot':
      case 'bool':
      case 'string':
      case 'number':
      case 'nil':
        return this.#fail(`unexpected . after term ${goQuote(operandText(node))}`);
      case 'identifier':
      case 'chain':
      case 'pipe':
        return { is: 'chain', at, of: node, path };
    }
  }

  #term(): Operand | undefined {
    const token = this.#takePastSpace();
    const { at, text } = token;
    switch (token.type) {
      case 'identifier':
        return isFunction(text, this.#options.functions)
          ? { is: 'identifier', at, name: text }
          : this.#fail(`function ${goQuote(text)} not defined`);
      case 'dot':
      case 'nil':
        return { is: token.type, at };
      case 'variable':
        return this.#variables.includes(text)
          ? { is: 'variable', at, name: text, path: [] }
          : this.#fail(`undefined variable ${goQuote(text)}`);
      case 'field':
        return { is: 'field', at, path: [text.slice(1)] };
      case 'bool':
        return { is: 'bool', at, value: text === 'true' };
      case 'character constant':
      case 'number':
        return { is: 'number', at, text, number: this.#number(token) };
      case '(':
        return this.#nested(() => this.#pipeline('parenthesized pipeline', ')'));
      case 'string':
      case 'raw string':
        return { is: 'string', at, text, value: this.#unquote(text) };
      default:
        this.#next -= 1;
        return undefined;
    }
  }

  #number({ type, text }: Token) {
    if (type === 'character constant') {
      const value = goUnquote(text);
      if (value === undefined || value === '') {
        return this.#fail('invalid syntax');
      }
      const code = [...value].length === 1 ? value.codePointAt(0) : undefined;
      return code === undefined
        ? this.#fail(`malformed character constant: ${text}`)
        : { int: BigInt(code), float: code, isFloat: false };
    }
    const number = parseNumber(text);
    if (number === undefined) {
      return this.#fail(`illegal number syntax: ${goQuote(text)}`);
    }
    return 'overflows' in number ? this.#fail(`integer overflow: ${goQuote(text)}`) : number;
  }
}

function isEmpty(nodes: readonly Node[]): boolean {
  return nodes.every(node => node.is === 'text' && node.text.trim() === '');
}
