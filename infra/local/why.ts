// `npm run why`: what one Cluster waits for, from the same reading of its status as the local run's view.
import type { Name } from '../../shared/api/object.ts';
import type { Reads } from '../../shared/kubernetes/port.ts';
import { parseArguments } from './arguments.ts';
import { exitCodes } from './drive.ts';
import { UsageError } from './options.ts';
import { explain, toSentences } from './view/explain.ts';
import { readSnapshot } from './view/read-snapshot.ts';
import { toLines, toTree } from './view/tree.ts';

export interface WhyOptions {
  readonly cluster: Name;
  /** Absent: the one that the local run writes. */
  readonly kubeconfig: string | undefined;
}

export const whyHelp = `Usage: npm run why -- NAMESPACE/NAME [--kubeconfig FILE]

Prints what a Cluster is made of, what it waits for, and what to do about it.

  --kubeconfig FILE  the API server to ask (default: the one that npm start runs)
  --help             this text

Exit codes: 0 it waits for nothing, 1 it waits, 2 it cannot be read, 3 an error of this program.
`;

/** Throws UsageError; returns 'help' when asked for it. */
export function parseWhyOptions(args: readonly string[]): WhyOptions | 'help' {
  const { values, positionals } = parse(args);
  if (values.help === true) {
    return 'help';
  }
  const [text = '', ...others] = positionals;
  const [, namespace, name] = /^([^/]+)\/([^/]+)$/.exec(text) ?? [];
  if (namespace === undefined || name === undefined || others.length > 0) {
    throw new UsageError('Name one Cluster as NAMESPACE/NAME');
  }
  if (values.kubeconfig === '') {
    throw new UsageError('--kubeconfig names no file');
  }
  return { cluster: { namespace, name }, kubeconfig: values.kubeconfig };
}

export interface WhyContext {
  readonly reads: Reads;
  readonly write: (text: string) => void;
  readonly columns: number;
  readonly color: boolean;
}

/** Resolves with the exit code. Throws UsageError when the Cluster cannot be read. */
export async function why({ namespace, name }: Name, { reads, write, columns, color }: WhyContext): Promise<number> {
  const display = `${namespace}/${name}`;
  const snapshot = await readSnapshot(reads, { namespace, name });
  if (!snapshot.ok) {
    throw new UsageError(`Cluster ${display} cannot be read: ${snapshot.failure.message}`);
  }
  const explanation = explain(snapshot.value);
  const tree = toLines(toTree(snapshot.value), { width: columns, color });
  write(`${[...tree, '', ...toSentences(display, explanation)].join('\n')}\n`);
  return explanation === undefined ? exitCodes.done : exitCodes.notReady;
}

function parse(args: readonly string[]) {
  return parseArguments({
    args: [...args],
    strict: true,
    allowPositionals: true,
    options: { kubeconfig: { type: 'string' }, help: { type: 'boolean' } },
  });
}
