// Sessions of kubectl: lines that a user types one after the other, and what each of them prints.
import type { Kubectl } from '../kubectl.ts';
import { normalize } from './normalize.ts';

/** The arguments of one call of kubectl. Texts in single quotes are one argument. With standard input, or without. */
export type KubectlLine = string | readonly [line: string, input: string];

export interface Session {
  /** The name of its namespace as well. */
  readonly name: string;
  readonly lines: readonly KubectlLine[];
}

export interface Printed {
  readonly line: string;
  readonly exitCode: number;
  /** Normalized. */
  readonly stdout: string;
  readonly stderr: string;
}

export function lineOf(line: KubectlLine): string {
  return typeof line === 'string' ? line : line[0];
}

function argumentsOf(line: string): readonly string[] {
  return (line.match(/(?:[^\s']|'[^']*')+/g) ?? []).map(argument => argument.replaceAll("'", ''));
}

/** kubectl opens its editor with the name of a file. This one replaces a text in it. */
const editor = { KUBE_EDITOR: 'sed -i s/size:\\ 1$/size:\\ 7/' };

/** Runs the lines of the session in its namespace, which is created. */
export async function playSession(kubectl: Kubectl, { name, lines }: Session): Promise<readonly Printed[]> {
  await kubectl(['create', 'namespace', name]);
  const printed: Printed[] = [];
  for (const each of lines) {
    const [line, input] = typeof each === 'string' ? [each, undefined] : each;
    const { exitCode, stdout, stderr } = await kubectl([...argumentsOf(line), `--namespace=${name}`], input, editor);
    printed.push({ line, exitCode, stdout: normalize(stdout), stderr: normalize(stderr) });
  }
  return printed;
}
