// `npm run why`: what one object waits for, from the same reading of its status as the local run's view.
import { readTemplates } from '../../functions/clusterclass/observe.ts';
import { clusterClassKind } from '../../functions/clusterclass/watches.ts';
import { readClusterClass } from '../../shared/api/cluster-class/reader.ts';
import { extensionConfigKind } from '../../shared/api/extension-config/kind.ts';
import { type Name, toApiVersion, toDisplayName } from '../../shared/api/object.ts';
import type { Reads } from '../../shared/kubernetes/port.ts';
import { parseArguments } from './arguments.ts';
import { exitCodes } from './drive.ts';
import { UsageError } from './options.ts';
import { explainClass, toClassTree } from './view/classes.ts';
import { explain, toSentences } from './view/explain.ts';
import { explainExtension, toExtensionTree } from './view/extensions.ts';
import { readSnapshot } from './view/read-snapshot.ts';
import { toLines, toTree } from './view/tree.ts';

export type WhyOptions = WhyObject & {
  /** Absent: the one that the local run writes. */
  readonly kubeconfig: string | undefined;
};

/** What is asked about; an ExtensionConfig by its name. */
export type WhyObject = { readonly cluster: Name } | { readonly clusterClass: Name } | { readonly extension: string };

export const whyHelp = `Usage: npm run why -- NAMESPACE/NAME [--kubeconfig FILE]
       npm run why -- clusterclass NAMESPACE/NAME [--kubeconfig FILE]
       npm run why -- extensionconfig NAME [--kubeconfig FILE]

Prints what a Cluster, a ClusterClass or an ExtensionConfig is made of, what it waits for, and what to do about it.

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
  if (values.kubeconfig === '') {
    throw new UsageError('--kubeconfig names no file');
  }
  const [text = '', ...others] = positionals;
  if (text === 'extensionconfig') {
    const [name = '', ...more] = others;
    if (name === '' || name.includes('/') || more.length > 0) {
      throw new UsageError('Name one ExtensionConfig as extensionconfig NAME');
    }
    return { extension: name, kubeconfig: values.kubeconfig };
  }
  if (text === 'clusterclass') {
    return { clusterClass: toName(others, 'ClusterClass as clusterclass'), kubeconfig: values.kubeconfig };
  }
  return { cluster: toName(positionals, 'Cluster as'), kubeconfig: values.kubeconfig };
}

function toName([text = '', ...others]: readonly string[], what: string): Name {
  const [, namespace, name] = /^([^/]+)\/([^/]+)$/.exec(text) ?? [];
  if (namespace === undefined || name === undefined || others.length > 0) {
    throw new UsageError(`Name one ${what} NAMESPACE/NAME`);
  }
  return { namespace, name };
}

export interface WhyContext {
  readonly reads: Reads;
  readonly write: (text: string) => void;
  readonly columns: number;
  readonly color: boolean;
}

/** Resolves with the exit code. Throws UsageError when the ExtensionConfig cannot be read. */
export async function whyExtension(name: string, { reads, write, columns, color }: WhyContext): Promise<number> {
  const { kind } = extensionConfigKind;
  const answer = await reads.get({ apiVersion: toApiVersion(extensionConfigKind), kind, name });
  if (!answer.ok) {
    throw new UsageError(`${kind} ${name} cannot be read: ${answer.failure.message}`);
  }
  const explanation = explainExtension(answer.value);
  const tree = toLines(toExtensionTree(answer.value), { width: columns, color });
  write(`${[...tree, '', ...toSentences(`${kind} ${name}`, explanation)].join('\n')}\n`);
  return explanation === undefined ? exitCodes.done : exitCodes.notReady;
}

/** Resolves with the exit code. Throws UsageError when the ClusterClass cannot be read. */
export async function whyClass(named: Name, { reads, write, columns, color }: WhyContext): Promise<number> {
  const display = `ClusterClass ${toDisplayName(named)}`;
  const answer = await reads.get({ apiVersion: toApiVersion(clusterClassKind), kind: clusterClassKind.kind, ...named });
  if (!answer.ok) {
    throw new UsageError(`${display} cannot be read: ${answer.failure.message}`);
  }
  const snapshot = { object: answer.value, templates: await readTemplates(readClusterClass(answer.value), reads) };
  const explanation = explainClass(snapshot);
  const tree = toLines(toClassTree(snapshot), { width: columns, color });
  write(`${[...tree, '', ...toSentences(display, explanation)].join('\n')}\n`);
  return explanation === undefined ? exitCodes.done : exitCodes.notReady;
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
