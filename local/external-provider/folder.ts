// The folder of a provider. Its reconcilers, definitions and examples are found by convention.
import { readdir, stat } from 'node:fs/promises';
import path from 'node:path';
import { readFiles } from '../findings/read-files.ts';
import type { File } from '../findings/subjects.ts';
import { UsageError } from '../usage-error.ts';

export interface ProviderFolder {
  /** The path in the user's spelling. */
  readonly name: string;
  /** The absolute path of the module that exports `reconcilers`. */
  readonly entry: string;
  readonly definitions: readonly File[];
  /** The paths of manifests in the order of their names. */
  readonly examples: readonly string[];
}

const entryNames = ['provider.ts', 'provider.js', 'provider.mjs'] as const;
/** The path of a file, or of a folder of files. */
export const definitionNames = ['crds.yaml', 'crds'] as const;
const examplesName = 'examples';
const manifest = /\.ya?ml$/;

/** Reads only file names and the definitions. Throws UsageError. */
export async function readProviderFolder(name: string): Promise<ProviderFolder> {
  if (!(await isFolder(name))) {
    throw new UsageError(
      `Provider folder ${name} does not exist; npx capi-serverless new-provider NAME --folder ${name} makes one`,
    );
  }
  const entry = await firstOf(name, entryNames);
  if (entry === undefined) {
    throw new UsageError(
      `Folder ${name} holds no provider; write ${entryNames[0]} there, which exports the list reconcilers, or make a provider by npx capi-serverless new-provider`,
    );
  }
  const definitions = await firstOf(name, definitionNames);
  const examples = path.join(name, examplesName);
  return {
    name,
    entry: path.resolve(entry),
    definitions: definitions === undefined ? [] : await readFiles(definitions),
    examples: (await isFolder(examples))
      ? (await readdir(examples))
          .filter(file => manifest.test(file))
          .sort()
          .map(file => path.join(examples, file))
      : [],
  };
}

async function firstOf(folder: string, names: readonly string[]): Promise<string | undefined> {
  const entries = await readdir(folder);
  const found = names.find(name => entries.includes(name));
  return found === undefined ? undefined : path.join(folder, found);
}

function isFolder(name: string): Promise<boolean> {
  return stat(name).then(
    found => found.isDirectory(),
    () => false,
  );
}
