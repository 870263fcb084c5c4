// The contract labels that kustomize adds to definitions. Providers keep definitions without them in `config/crd/bases`, and
// their labels in the kustomization file of the folder above.
import { readdir, readFile, stat } from 'node:fs/promises';
import path from 'node:path';
import { isJsonObject, toRecord } from '@capi-serverless/apimachinery';
import { contractVersions } from '@capi-serverless/cluster-api/contract';
import { parse } from 'yaml';
import { kustomizationFile } from '../findings/read-files.ts';

export interface AddedLabels {
  /** The kustomization file. */
  readonly file: string;
  /** Contract labels only. */
  readonly labels: Readonly<Record<string, string>>;
}

/**
 * Returns the contract labels of the kustomization files that apply to these files and folders: of the folder itself, of
 * those in it, and of the one above. Files that cannot be read add nothing.
 */
export async function readAddedLabels(names: readonly string[]): Promise<readonly AddedLabels[]> {
  const files = await Promise.all(names.filter(name => name !== '-').map(findKustomizations));
  const read = await Promise.all([...new Set(files.flat())].map(readLabels));
  return read.filter(({ labels }) => Object.keys(labels).length > 0);
}

async function findKustomizations(name: string): Promise<readonly string[]> {
  const isFolder = (await stat(name).catch(() => undefined))?.isDirectory() === true;
  const folder = path.resolve(isFolder ? name : path.dirname(name));
  const filesIn = async (of: string, recursive: boolean): Promise<readonly string[]> =>
    (await readdir(of, { recursive }).catch(() => []))
      .filter(entry => kustomizationFile.test(entry))
      .map(entry => path.join(of, entry));
  const found = [...(await filesIn(folder, isFolder)), ...(await filesIn(path.dirname(folder), false))];
  return found.toSorted();
}

async function readLabels(file: string): Promise<AddedLabels> {
  const text = await readFile(file, 'utf8').catch(() => '');
  return { file: path.relative('', file), labels: contractLabelsOf(text) };
}

/** The text is the content of a kustomization file: `commonLabels`, or the pairs of `labels`. */
export function contractLabelsOf(text: string): Readonly<Record<string, string>> {
  const { commonLabels, labels } = toRecord(parseOrNothing(text));
  const pairs = Array.isArray(labels) ? labels.map(each => toRecord(each)['pairs']) : [];
  const all = Object.assign({}, ...[commonLabels, ...pairs].filter(isJsonObject));
  return Object.fromEntries(
    contractVersions
      .map(contract => `cluster.x-k8s.io/${contract}`)
      .flatMap(label => (typeof all[label] === 'string' ? [[label, all[label]]] : [])),
  );
}

function parseOrNothing(text: string): unknown {
  try {
    return parse(text, { schema: 'yaml-1.1' });
  } catch {
    return undefined;
  }
}
