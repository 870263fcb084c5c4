// The types of a provider's module, by its author's own settings: a bundler only strips them.
import { execFile } from 'node:child_process';
import { stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { projectRoot } from '../../bundles/bundle.ts';
import { packageEntries } from '../../package/entries.ts';
import type { ProviderFolder } from './folder.ts';

/** For an author who has no settings yet. */
const defaultOptions = {
  target: 'es2024',
  module: 'nodenext',
  strict: true,
  types: ['node'],
  allowImportingTsExtensions: true,
  skipLibCheck: true,
};

const packageName = 'capi-serverless';

/**
 * What the compiler says of the module and all that it imports of its folder, a line each. Where the author has not installed
 * this package yet, its types come from this project's sources. `scratch`: a folder for settings.
 */
export async function typeProblems({ name, entry }: ProviderFolder, scratch: string): Promise<readonly string[]> {
  const folder = path.dirname(entry);
  const settings = path.join(folder, 'tsconfig.json');
  const isInstalled = await exists(path.join(folder, 'node_modules', packageName));
  const compilerOptions = {
    ...((await exists(settings)) ? {} : defaultOptions),
    noEmit: true,
    composite: false,
    incremental: false,
    ...(isInstalled ? {} : resolvedHere),
  };
  // By another name the bundler, which is at work beside, does not take it for its own settings.
  const config = path.join(scratch, 'type-check.json');
  const base = (await exists(settings)) ? { extends: settings } : {};
  await writeFile(config, JSON.stringify({ ...base, compilerOptions, files: [entry], include: [] }));
  return (await compile(config, folder))
    .filter(line => /^[^\s(][^(]*\(\d+,\d+\): error /.test(line) && !line.startsWith('..'))
    .map(line => path.join(name, line.trimEnd().replace(/\.$/, '')));
}

const modules = path.join(projectRoot, 'node_modules');

const resolvedHere = {
  paths: {
    ...Object.fromEntries(
      packageEntries.map(({ name, source }) => [
        name === 'testing' ? `${packageName}/actuator/testing` : `${packageName}/${name}`,
        [path.join(projectRoot, source)],
      ]),
    ),
    // What an ES module imports is a file: no folder is looked into.
    zod: [path.join(modules, 'zod/index.d.ts')],
    'zod/mini': [path.join(modules, 'zod/mini/index.d.ts')],
  },
  typeRoots: [path.join(modules, '@types')],
};

async function compile(config: string, cwd: string): Promise<readonly string[]> {
  const tsc = path.join(modules, 'typescript/bin/tsc');
  const told = await promisify(execFile)(process.execPath, [tsc, '--pretty', 'false', '-p', config], { cwd }).then(
    ({ stdout }) => stdout,
    (failed: { readonly stdout?: string }) => failed.stdout ?? '',
  );
  return told.split('\n');
}

function exists(file: string): Promise<boolean> {
  return stat(file).then(
    () => true,
    () => false,
  );
}
