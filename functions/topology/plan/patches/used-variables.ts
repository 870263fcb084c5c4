// Determines the variables that a value template can read. Templates with equal variables then share one rendered
// value.
import type { Operand, ParsedTemplate, Pipe, TemplateNode } from '@capi-serverless/go-template';

/** The names of variables, possibly more than used. `all` if the template passes all of them as one value. */
export function usedVariables({ body, definitions }: ParsedTemplate): ReadonlySet<string> | 'all' {
  const use = new Use();
  use.nodes(body, true);
  for (const nodes of definitions.values()) {
    // If the dot of a definition is all variables, the caller has passed all of them.
    use.nodes(nodes, false);
  }
  return use.isAll ? 'all' : use.names;
}

class Use {
  readonly names = new Set<string>();
  isAll = false;

  /** `atRoot`: the dot is all variables. */
  nodes(nodes: readonly TemplateNode[], atRoot: boolean): void {
    for (const node of nodes) {
      this.#node(node, atRoot);
    }
  }

  #node(node: TemplateNode, atRoot: boolean): void {
    switch (node.is) {
      case 'action':
        this.#pipe(node.pipe, atRoot);
        break;
      case 'if':
      case 'with':
      case 'range':
        this.#pipe(node.pipe, atRoot);
        this.nodes(node.body, atRoot && node.is === 'if');
        this.nodes(node.otherwise ?? [], atRoot);
        break;
      case 'template':
        if (node.pipe !== undefined) {
          this.#pipe(node.pipe, atRoot);
        }
        break;
      case 'text':
      case 'break':
      case 'continue':
        break;
    }
  }

  #pipe({ commands }: Pipe, atRoot: boolean): void {
    for (const operand of commands.flatMap(({ args }) => args)) {
      this.#operand(operand, atRoot);
    }
  }

  #operand(operand: Operand, atRoot: boolean): void {
    switch (operand.is) {
      case 'dot':
        this.isAll ||= atRoot;
        break;
      case 'variable':
        // Other variables contain a value that an operand has already read.
        if (operand.name === '$') {
          this.#path(operand.path, true);
        }
        break;
      case 'field':
        this.#path(operand.path, atRoot);
        break;
      case 'chain':
        this.#operand(operand.of, atRoot);
        break;
      case 'pipe':
        this.#pipe(operand, atRoot);
        break;
      case 'nil':
      case 'bool':
      case 'number':
      case 'string':
      case 'identifier':
        break;
    }
  }

  #path([name]: readonly string[], atRoot: boolean): void {
    if (name === undefined) {
      this.isAll = true;
    } else if (atRoot) {
      this.names.add(name);
    }
  }
}
