// The state of a rendering: current node, variables, remaining work.
import { byteLength } from './bytes.ts';
import { isLimit, type RenderMeter } from './limits.ts';
import type { ParsedTemplate } from './parse.ts';
import { goQuote } from './quote.ts';
import { type Command, commandText, type Operand, operandText, pipeText, type TemplateNode } from './tree.ts';
import type { TemplateValue } from './value.ts';

/** The error if rendering failed. The message is Go's. */
export class RenderError extends Error {
  override readonly name = 'RenderError';
}

/** A value, and whether its static type in Go is `interface {}`, which errors print. */
export interface Reflected {
  readonly value: TemplateValue;
  readonly boxed: boolean;
}

interface Variable {
  readonly name: string;
  place: Reflected;
}

export function plain(value: TemplateValue): Reflected {
  return { value, boxed: false };
}

/** The maximum number of nested actions and parentheses per level of templates. */
const nestedPerCall = 3;

/** A variable is searched from the last one that was declared. */
const variablesPerStep = 64;

export class RenderFrame {
  readonly template: ParsedTemplate;
  readonly meter: RenderMeter;
  /** The node that errors contain. */
  at: TemplateNode | Operand | Command = { is: 'nil', at: 0 };
  /** The name of the template that is rendered. */
  executing: string;
  variables: Variable[] = [];
  #depth = 0;

  constructor(template: ParsedTemplate, meter: RenderMeter) {
    this.template = template;
    this.meter = meter;
    this.executing = template.options.name;
  }

  fail(problem: string): never {
    const { text, options } = this.template;
    const lines = text.slice(0, this.at.at).split('\n');
    const where = `${options.name}:${lines.length}:${byteLength(lines.at(-1) ?? '')}`;
    const context = textOf(this.at);
    throw new RenderError(`template: ${where}: executing ${goQuote(this.executing)} at <${context}>: ${problem}`);
  }

  /** Ends rendering when the work reaches a limit. */
  counted<T>(work: () => T): T {
    try {
      return work();
    } catch (error) {
      if (isLimit(error)) {
        return this.fail(error.message);
      }
      throw error;
    }
  }

  step(): void {
    this.spend(1);
  }

  spend(steps: number): void {
    this.counted(() => this.meter.spend(steps));
  }

  nested<T>(work: () => T): T {
    const most = this.meter.limits.depth * nestedPerCall;
    this.#depth += 1;
    if (this.#depth > most) {
      this.fail(`limit exceeded: more than ${most} actions inside each other`);
    }
    const result = work();
    this.#depth -= 1;
    return result;
  }

  variable(name: string): Variable {
    this.spend(this.variables.length / variablesPerStep);
    return this.variables.findLast(variable => variable.name === name) ?? this.fail(`undefined variable: ${name}`);
  }

  /** Variables that `work` declares are in scope until `work` ends. */
  scoped<T>(work: () => T): T {
    const known = this.variables.length;
    const result = this.nested(work);
    this.variables.length = known;
    return result;
  }
}

function textOf(node: TemplateNode | Operand | Command): string {
  if ('args' in node) {
    return commandText(node);
  }
  switch (node.is) {
    case 'text':
      return node.text;
    case 'action':
      return `{{${pipeText(node.pipe)}}}`;
    case 'template':
      return `{{template ${goQuote(node.name)}${node.pipe === undefined ? '' : ` ${pipeText(node.pipe)}`}}}`;
    case 'if':
    case 'with':
    case 'range':
      return `{{${node.is} ${pipeText(node.pipe)}}}`;
    case 'break':
    case 'continue':
      return `{{${node.is}}}`;
    default:
      return operandText(node);
  }
}
