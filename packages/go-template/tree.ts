// The parsed template. Errors print nodes in Go's form.

interface Position {
  /** The position in errors, in code units of the text. */
  readonly at: number;
}

export type Operand =
  | (Position & { readonly is: 'dot' })
  | (Position & { readonly is: 'nil' })
  | (Position & { readonly is: 'bool'; readonly value: boolean })
  | (Position & { readonly is: 'number'; readonly text: string; readonly number: NumberLiteral })
  | (Position & { readonly is: 'string'; readonly text: string; readonly value: string })
  | (Position & { readonly is: 'field'; readonly path: readonly string[] })
  | (Position & { readonly is: 'variable'; readonly name: string; readonly path: readonly string[] })
  | (Position & { readonly is: 'identifier'; readonly name: string })
  | (Position & { readonly is: 'chain'; readonly of: Operand; readonly path: readonly string[] })
  | Pipe;

export interface NumberLiteral {
  /** Undefined if the number is not a 64-bit integer, or not a float. */
  readonly int: bigint | undefined;
  readonly float: number | undefined;
  /** Whether the number is a float if the context requires no type. */
  readonly isFloat: boolean;
}

export interface Command extends Position {
  readonly args: readonly [Operand, ...Operand[]];
}

export interface Pipe extends Position {
  readonly is: 'pipe';
  readonly variables: readonly string[];
  readonly assigns: boolean;
  readonly commands: readonly Command[];
}

export type TemplateNode =
  | (Position & { readonly is: 'text'; readonly text: string })
  | (Position & { readonly is: 'action'; readonly pipe: Pipe })
  | BranchNode
  | (Position & { readonly is: 'template'; readonly name: string; readonly pipe: Pipe | undefined })
  | (Position & { readonly is: 'break' | 'continue' });

export interface BranchNode extends Position {
  readonly is: 'if' | 'with' | 'range';
  readonly pipe: Pipe;
  readonly body: readonly TemplateNode[];
  readonly otherwise: readonly TemplateNode[] | undefined;
}

const dotted = (path: readonly string[]): string => path.map(name => `.${name}`).join('');

export function operandText(node: Operand): string {
  switch (node.is) {
    case 'dot':
      return '.';
    case 'nil':
      return 'nil';
    case 'bool':
      return String(node.value);
    case 'number':
    case 'string':
      return node.text;
    case 'field':
      return dotted(node.path);
    case 'variable':
      return node.name + dotted(node.path);
    case 'identifier':
      return node.name;
    case 'chain':
      return (node.of.is === 'pipe' ? `(${pipeText(node.of)})` : operandText(node.of)) + dotted(node.path);
    case 'pipe':
      return pipeText(node);
  }
}

export function commandText({ args }: Command): string {
  return args.map(arg => (arg.is === 'pipe' ? `(${pipeText(arg)})` : operandText(arg))).join(' ');
}

export function pipeText({ variables, assigns, commands }: Pipe): string {
  const declared = variables.length === 0 ? '' : `${variables.join(', ')} ${assigns ? '=' : ':='} `;
  return declared + commands.map(commandText).join(' | ');
}
