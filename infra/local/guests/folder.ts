// A provider's folder: where its reconcilers, its definitions and its examples are by convention.
import { readdir, stat } from 'node:fs/promises';
import path from 'node:path';
import { readFiles } from '../check/command.ts';
import type { File } from '../check/subjects.ts';
import { UsageError } from '../options.ts';

export interface ProviderFolder {
  /** As the user wrote it. */
  readonly name: string;
  /** Absolute path of the module that exports `reconcilers`. */
  readonly entry: string;
  readonly definitions: readonly File[];
  /** Paths of manifests, in the order of their names. */
  readonly examples: readonly string[];
}

export const entryNames = ['provider.ts', 'provider.js', 'provider.mjs'] as const;
/** A file, or a folder of files. */
export const definitionNames = ['crds.yaml', 'crds'] as const;
const examplesName = 'examples';
const manifest = /\.ya?ml$/;

/** Looks only at the names of files, and reads the definitions. Throws UsageError. */
export async function readProviderFolder(name: string): Promise<ProviderFolder> {
  if (!(await isFolder(name))) {
    throw new UsageError(
      `Provider folder ${name} does not exist; npm run new-provider -- NAME --folder ${name} makes one`,
    );
  }
  const entry = await firstOf(name, entryNames);
  if (entry === undefined) {
    throw new UsageError(
      `Folder ${name} holds no provider; write ${entryNames[0]} there, which exports the list reconcilers, or make a provider by npm run new-provider`,
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
