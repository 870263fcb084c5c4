// Type-checks a provider's module with its author's settings. This is necessary because a bundler only removes types.
import { execFile } from 'node:child_process';
import { stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { projectRoot } from '../../infra/bundles/bundle.ts';
import { packageEntries } from '../../infra/package/entries.ts';
import type { ProviderFolder } from './folder.ts';

/** The settings for a provider without settings. */
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
 * Returns the compiler errors of the module and of its imports within its folder, one per line. If the author has not
 * installed this package yet, its types come from the sources of this project. `scratch` is a folder for settings. A
 * JavaScript module without settings has no types to check.
 */
export async function typeProblems({ name, entry }: ProviderFolder, scratch: string): Promise<readonly string[]> {
  const folder = path.dirname(entry);
  const settings = path.join(folder, 'tsconfig.json');
  if (!entry.endsWith('.ts') && !(await exists(settings))) {
    return [];
  }
  const isInstalled = await exists(path.join(folder, 'node_modules', packageName));
  const compilerOptions = {
    ...((await exists(settings)) ? {} : defaultOptions),
    noEmit: true,
    composite: false,
    incremental: false,
    ...(isInstalled ? {} : resolvedHere),
  };
  // The bundler runs at the same time. It does not read a file with this name as its settings.
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
    // An ES module imports only files. Folders are not resolved.
    zod: [path.join(modules, 'zod/index.d.ts')],
    'zod/mini': [path.join(modules, 'zod/mini/index.d.ts')],
  },
  typeRoots: [path.join(modules, '@types')],
};

async function compile(config: string, cwd: string): Promise<readonly string[]> {
  const tsc = path.join(modules, 'typescript/bin/tsc');
  const output = await promisify(execFile)(process.execPath, [tsc, '--pretty', 'false', '-p', config], { cwd }).then(
    ({ stdout }) => stdout,
    (failed: { readonly stdout?: string }) => failed.stdout ?? '',
  );
  return output.split('\n');
}

function exists(file: string): Promise<boolean> {
  return stat(file).then(
    () => true,
    () => false,
  );
}
