// Parses the text of a template to its tree, with Go's errors. https://pkg.go.dev/text/template#hdr-Actions
import { type Checked, invalid, valid } from '@capi-serverless/apimachinery';
import type { TemplateFunctions } from './function-names.ts';
import { parseLimits } from './limits.ts';
import { PipelineParser } from './parse-pipeline.ts';
import { goQuote } from './quote.ts';
import { ParseError, TokenReader } from './token-reader.ts';
import type { BranchNode, Pipe, TemplateNode } from './tree.ts';

export interface ParseOptions {
  /** The name of the template in errors. */
  readonly name: string;
  readonly functions: TemplateFunctions;
  /** The treatment of an absent map key: no value, or an error. */
  readonly missingKey: 'default' | 'error';
}

export interface ParsedTemplate {
  readonly text: string;
  readonly options: ParseOptions;
  readonly body: readonly TemplateNode[];
  /** The templates of `define` and `block`. Keys are their names. */
  readonly definitions: ReadonlyMap<string, readonly TemplateNode[]>;
}

/** Never throws. The error is Go's: `template: <name>:<line>: …`. */
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

/** The token that ends a list of nodes. */
interface Listed {
  readonly nodes: readonly TemplateNode[];
  readonly end: 'end' | 'else';
}

type Ending = { readonly ends: 'end' | 'else' };

class Parser {
  readonly #text: string;
  readonly #options: ParseOptions;
  readonly #tokens: TokenReader;
  readonly #pipelines: PipelineParser;
  readonly #definitions = new Map<string, readonly TemplateNode[]>();
  #ranges = 0;

  constructor(text: string, options: ParseOptions) {
    this.#text = text;
    this.#options = options;
    this.#tokens = new TokenReader(text, options.name);
    this.#pipelines = new PipelineParser(this.#tokens, options.functions);
  }

  run(): ParsedTemplate {
    const body: TemplateNode[] = [];
    while (this.#tokens.peek().type !== 'eof') {
      if (this.#isDefinition()) {
        this.#definition();
        continue;
      }
      const node = this.#textOrAction();
      if ('ends' in node) {
        this.#tokens.fail(`unexpected {{${node.ends}}}`);
      }
      body.push(node);
    }
    return { text: this.#text, options: this.#options, body, definitions: this.#definitions };
  }

  #isDefinition(): boolean {
    const after = this.#tokens.look(1).type === 'space' ? this.#tokens.look(2) : this.#tokens.look(1);
    return this.#tokens.look().type === 'open' && after.type === 'keyword' && after.text === 'define';
  }

  #definition(): void {
    this.#tokens.take();
    this.#tokens.takePastSpace();
    const context = 'define clause';
    const name = this.#name(context);
    this.#tokens.expectClose(context);
    this.#define(name, this.#separately(context));
  }

  #name(context: string): string {
    const token = this.#tokens.takePastSpace();
    if (token.type !== 'string' && token.type !== 'raw string') {
      return this.#tokens.unexpected(token, context);
    }
    return this.#pipelines.unquote(token.text);
  }

  /** Parses the body of a separate template, up to its `end`. */
  #separately(context: string): readonly TemplateNode[] {
    const ranges = this.#ranges;
    this.#ranges = 0;
    const { nodes, end } = this.#pipelines.inOwnScope(() => this.#tokens.nested(() => this.#list()));
    if (end !== 'end') {
      this.#tokens.fail(`unexpected {{${end}}} in ${context}`);
    }
    this.#ranges = ranges;
    return nodes;
  }

  #define(name: string, nodes: readonly TemplateNode[]): void {
    const known = this.#definitions.get(name);
    if (known !== undefined && !isEmpty(known)) {
      if (!isEmpty(nodes)) {
        this.#tokens.fail(`template: multiple definition of template ${goQuote(name)}`);
      }
      return;
    }
    this.#definitions.set(name, nodes);
  }

  #list(): Listed {
    const nodes: TemplateNode[] = [];
    while (this.#tokens.peekPastSpace().type !== 'eof') {
      const node = this.#textOrAction();
      if ('ends' in node) {
        return { nodes, end: node.ends };
      }
      nodes.push(node);
    }
    return this.#tokens.fail('unexpected EOF');
  }

  #textOrAction(): TemplateNode | Ending {
    const token = this.#tokens.takePastSpace();
    if (token.type === 'text') {
      return { is: 'text', text: token.text, at: token.at };
    }
    return token.type === 'open' ? this.#action() : this.#tokens.unexpected(token, 'input');
  }

  #action(): TemplateNode | Ending {
    const token = this.#tokens.peekPastSpace();
    if (token.type !== 'keyword' || token.text === 'define') {
      const pipe = this.#pipelines.parse('command', 'close');
      return { is: 'action', at: token.at, pipe };
    }
    this.#tokens.take();
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
        this.#tokens.expectClose('end');
        return { ends: 'end' };
    }
  }

  #else(): Ending {
    const next = this.#tokens.peekPastSpace();
    if (!(next.type === 'keyword' && (next.text === 'if' || next.text === 'with'))) {
      this.#tokens.expectClose('else');
    }
    return { ends: 'else' };
  }

  #leave(is: 'break' | 'continue', at: number): TemplateNode {
    const token = this.#tokens.takePastSpace();
    if (token.type !== 'close') {
      this.#tokens.unexpected(token, `{{${is}}}`);
    }
    if (this.#ranges === 0) {
      this.#tokens.fail(`{{${is}}} outside {{range}}`);
    }
    return { is, at };
  }

  #branch(is: BranchNode['is'], at: number): BranchNode {
    return this.#tokens.nested(() =>
      this.#pipelines.inScope(() => {
        const pipe = this.#pipelines.parse(is, 'close');
        this.#ranges += is === 'range' ? 1 : 0;
        const { nodes: body, end } = this.#list();
        this.#ranges -= is === 'range' ? 1 : 0;
        return { is, at, pipe, body, otherwise: end === 'else' ? this.#otherwise(is) : undefined };
      }),
    );
  }

  #otherwise(is: BranchNode['is']): readonly TemplateNode[] {
    const next = this.#tokens.peek();
    if (next.type === 'keyword' && next.text === is && is !== 'range') {
      this.#tokens.take();
      return [this.#branch(is, next.at)];
    }
    const { nodes, end } = this.#list();
    return end === 'end' ? nodes : this.#tokens.fail('expected end; found {{else}}');
  }

  #invocation(): TemplateNode {
    const context = 'template clause';
    const { at } = this.#tokens.peekPastSpace();
    const name = this.#name(context);
    return { is: 'template', at, name, pipe: this.#argument(context) };
  }

  #argument(context: string): Pipe | undefined {
    if (this.#tokens.peekPastSpace().type === 'close') {
      this.#tokens.take();
      return undefined;
    }
    return this.#pipelines.parse(context, 'close');
  }

  #block(): TemplateNode {
    const context = 'block clause';
    const { at } = this.#tokens.peekPastSpace();
    const name = this.#name(context);
    const pipe = this.#pipelines.parse(context, 'close');
    this.#define(name, this.#separately(context));
    return { is: 'template', at, name, pipe };
  }
}

function isEmpty(nodes: readonly TemplateNode[]): boolean {
  return nodes.every(node => node.is === 'text' && node.text.trim() === '');
}
