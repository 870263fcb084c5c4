// Which variables a value template can look at, so that it is rendered once for all templates to which they are the same.
import type { ParsedTemplate } from '../../go-template/parse.ts';
import type { Node, Operand, Pipe } from '../../go-template/tree.ts';

/** Names of variables, perhaps some too many; `all` where the template hands on all of them as one. */
export function usedVariables({ body, definitions }: ParsedTemplate): ReadonlySet<string> | 'all' {
  const use = new Use();
  use.nodes(body, true);
  for (const nodes of definitions.values()) {
    // Where the dot of a definition is all variables, whoever invokes it has handed them on.
    use.nodes(nodes, false);
  }
  return use.isAll ? 'all' : use.names;
}

class Use {
  readonly names = new Set<string>();
  isAll = false;

  /** `atRoot`: the dot stands for all variables. */
  nodes(nodes: readonly Node[], atRoot: boolean): void {
    for (const node of nodes) {
      this.#node(node, atRoot);
    }
  }

  #node(node: Node, atRoot: boolean): void {
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
        // Other variables hold what some operand has shown already.
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
