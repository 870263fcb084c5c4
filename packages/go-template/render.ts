// Runs a parsed template. https://pkg.go.dev/text/template
import { type Checked, invalid, valid } from '@capi-serverless/apimachinery';
import { byteLength, normalized } from './bytes.ts';
import type { FunctionTable } from './call.ts';
import { Evaluator } from './evaluate.ts';
import { plain, type Reflected, RenderError, RenderFrame } from './frame.ts';
import { createMeter, type RenderLimits } from './limits.ts';
import type { ParsedTemplate } from './parse.ts';
import { printed, sortedEntries } from './print.ts';
import { goQuote } from './quote.ts';
import type { BranchNode, TemplateNode } from './tree.ts';
import { anyType, Dict, Int, int, isTrue, List, type TemplateValue, toValue } from './value.ts';

/** Never throws because of an error of a template. The error is Go's, or contains the exceeded limit. */
export function renderWith(
  functions: FunctionTable,
  template: ParsedTemplate,
  { data, limits }: { readonly data: unknown; readonly limits: RenderLimits },
): Checked<string> {
  const frame = new RenderFrame(template, createMeter(limits));
  const renderer = new Renderer(functions, frame);
  const { meter } = limits;
  try {
    return valid(renderer.render(frame.counted(() => toValue(data, meter && (units => meter.charge(units))))));
  } catch (error) {
    if (error instanceof RenderError) {
      return invalid(error.message);
    }
    throw error;
  }
}

type Left = 'break' | 'continue' | undefined;

class Renderer {
  readonly #frame: RenderFrame;
  readonly #evaluator: Evaluator;
  readonly #output: string[] = [];
  #bytes = 0;
  #calls = 0;

  constructor(functions: FunctionTable, frame: RenderFrame) {
    this.#frame = frame;
    this.#evaluator = new Evaluator(functions, frame);
  }

  render(data: TemplateValue): string {
    const root = plain(data ?? undefined);
    this.#frame.variables = [{ name: '$', place: root }];
    this.#list(root, this.#frame.template.body);
    return normalized(this.#output.join(''));
  }

  #write(text: string): void {
    this.#bytes += byteLength(text);
    const most = this.#frame.meter.limits.outputBytes;
    if (this.#bytes > most) {
      this.#frame.fail(`limit exceeded: an output of more than ${most} bytes`);
    }
    this.#frame.counted(() => this.#frame.meter.text(text.length));
    this.#output.push(text);
  }

  #list(dot: Reflected, nodes: readonly TemplateNode[]): Left {
    for (const node of nodes) {
      const left = this.#node(dot, node);
      if (left !== undefined) {
        return left;
      }
    }
    return undefined;
  }

  #node(dot: Reflected, node: TemplateNode): Left {
    this.#frame.at = node;
    this.#frame.step();
    switch (node.is) {
      case 'text':
        this.#write(node.text);
        return undefined;
      case 'action': {
        const value = this.#evaluator.pipe(dot, node.pipe);
        if (node.pipe.variables.length === 0) {
          this.#frame.at = node;
          this.#write(
            value === undefined ? '<no value>' : this.#frame.counted(() => printed(value, this.#frame.meter)),
          );
        }
        return undefined;
      }
      case 'if':
      case 'with':
        return this.#frame.scoped(() => this.#branch(dot, node));
      case 'range':
        return this.#frame.scoped(() => this.#range(dot, node));
      case 'template':
        this.#invoke(dot, node);
        return undefined;
      case 'break':
      case 'continue':
        return node.is;
    }
  }

  #branch(dot: Reflected, { is, pipe, body, otherwise }: BranchNode): Left {
    const value = this.#evaluator.pipe(dot, pipe);
    if (isTrue(value)) {
      return this.#list(is === 'with' ? plain(value) : dot, body);
    }
    return otherwise === undefined ? undefined : this.#list(dot, otherwise);
  }

  #range(dot: Reflected, branch: BranchNode): Left {
    const value = this.#evaluator.pipe(dot, branch.pipe);
    const { variables } = branch.pipe;
    if (value instanceof Int && variables.length > 1) {
      this.#frame.fail(`can't use ${value.value} to iterate over more than one variable`);
    }
    let isEmpty = true;
    for (const [key, item] of this.#iterate(value)) {
      isEmpty = false;
      if (this.#iteration(branch, key, item) === 'break') {
        break;
      }
    }
    return isEmpty && branch.otherwise !== undefined ? this.#list(dot, branch.otherwise) : undefined;
  }

  *#iterate(value: TemplateValue): Generator<readonly [TemplateValue, Reflected]> {
    if (value instanceof List) {
      const boxed = value.element === anyType;
      for (const [index, item] of value.items.entries()) {
        yield [int(index), { value: item, boxed }];
      }
    } else if (value instanceof Dict) {
      const boxed = value.element === anyType;
      const entries = this.#frame.counted(() => {
        this.#frame.meter.elements(value.entries.size);
        return sortedEntries(value, this.#frame.meter);
      });
      for (const [key] of entries) {
        yield [key, { value: value.entries.get(key), boxed }];
      }
    } else if (value instanceof Int) {
      for (let index = 0n; index < value.value; index += 1n) {
        yield [undefined, plain(int(index, value.type))];
      }
    } else if (value !== undefined && value !== null) {
      this.#frame.fail(`range can't iterate over ${this.#frame.counted(() => printed(value, this.#frame.meter))}`);
    }
  }

  #iteration({ pipe, body }: BranchNode, key: TemplateValue, item: Reflected): Left {
    this.#frame.step();
    const { variables, assigns } = pipe;
    const known = this.#frame.variables.length;
    const places = variables.length > 1 ? [plain(key), item] : [item];
    for (const [index, name] of variables.entries()) {
      const variable = assigns ? this.#frame.variable(name) : this.#frame.variables[known - variables.length + index];
      if (variable !== undefined) {
        variable.place = places[index] ?? item;
      }
    }
    const left = this.#list(item, body);
    this.#frame.variables.length = known;
    return left;
  }

  #invoke(dot: Reflected, node: Extract<TemplateNode, { is: 'template' }>): void {
    const { definitions, options, body } = this.#frame.template;
    const nodes = definitions.get(node.name) ?? (node.name === options.name ? body : undefined);
    if (nodes === undefined) {
      this.#frame.fail(`template ${goQuote(node.name)} not defined`);
    }
    const most = this.#frame.meter.limits.depth;
    if (this.#calls >= most) {
      this.#frame.fail(`limit exceeded: more than ${most} templates inside each other`);
    }
    const given = plain(node.pipe === undefined ? undefined : this.#evaluator.pipe(dot, node.pipe));
    const [variables, executing] = [this.#frame.variables, this.#frame.executing];
    this.#frame.variables = [{ name: '$', place: given }];
    this.#frame.executing = node.name;
    this.#calls += 1;
    this.#frame.nested(() => this.#list(given, nodes));
    this.#calls -= 1;
    this.#frame.variables = variables;
    this.#frame.executing = executing;
  }
}
