// Compares and writes generated files.
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, relative, sep } from 'node:path';
import { generatedFolders, type Output } from './outputs.ts';

/**
 * Returns paths below `folder` whose content differs from `wanted`, and files in generated folders that are not in
 * `wanted`.
 */
export function findDrift(folder: string, wanted: readonly Output[]): readonly string[] {
  const changed = wanted.filter(({ path, text }) => readIfThere(join(folder, path)) !== text).map(({ path }) => path);
  return [...changed, ...findLeftovers(folder, wanted)];
}

/** Writes `wanted` below `folder` and returns the changed paths. */
export function writeOutputs(folder: string, wanted: readonly Output[]): readonly string[] {
  const drift = findDrift(folder, wanted);
  for (const path of findLeftovers(folder, wanted)) {
    rmSync(join(folder, path));
  }
  for (const { path, text } of wanted.filter(output => drift.includes(output.path))) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
  return drift;
}

function findLeftovers(folder: string, wanted: readonly Output[]): readonly string[] {
  const known = new Set(wanted.map(({ path }) => path));
  return generatedFolders
    .flatMap(generated => listFiles(folder, generated))
    .filter(path => !known.has(path))
    .toSorted();
}

/** With the files of the folders in it. */
function listFiles(folder: string, generated: string): readonly string[] {
  try {
    const entries = readdirSync(join(folder, generated), { withFileTypes: true, recursive: true });
    return entries
      .filter(entry => entry.isFile())
      .map(({ parentPath, name }) => relative(folder, join(parentPath, name)).split(sep).join('/'));
  } catch (error) {
    return orMissing(error, []);
  }
}

function readIfThere(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    return orMissing(error, undefined);
  }
}

function orMissing<T>(error: unknown, fallback: T): T {
  if (error instanceof Error && 'code' in error && error.code === 'ENOENT') {
    return fallback;
  }
  throw error;
}

interface Target {
  readonly folder: string;
  readonly outputs: readonly Output[];
  print(line: string): void;
}

/** Runs the command with these options. Returns its exit code: 0 success, 1 difference found, 2 invalid options. */
export function runGenerate(options: readonly string[], target: Target): number {
  const unknown = options.find(option => option !== '--check');
  if (unknown !== undefined) {
    target.print(`Unknown option ${unknown}; the only one is --check`);
    return 2;
  }
  return options.includes('--check') ? check(target) : write(target);
}

function write({ folder, outputs: wanted, print }: Target): number {
  const changed = writeOutputs(folder, wanted);
  print(`${wanted.length} files generated, ${changed.length} changed`);
  return 0;
}

function check({ folder, outputs: wanted, print }: Target): number {
  const drift = findDrift(folder, wanted);
  if (drift.length === 0) {
    return 0;
  }
  print('Generated files differ from their sources:');
  for (const path of drift) {
    print(`  ${path}`);
  }
  print('Run: npm run generate');
  return 1;
}
