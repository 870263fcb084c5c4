// Writes the generated manifests below this folder; with --check it changes nothing and fails when they differ.
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { generatedFolders, type Output, outputs } from './outputs.ts';

/** Paths below `folder` whose content differs from `wanted`, and files in generated folders that nothing generates. */
export function findDrift(folder: string, wanted: readonly Output[]): readonly string[] {
  const changed = wanted.filter(({ path, text }) => readIfThere(join(folder, path)) !== text).map(({ path }) => path);
  return [...changed, ...findLeftovers(folder, wanted)];
}

/** Makes the files below `folder` what `wanted` says, and returns the paths that changed. */
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

function listFiles(folder: string, generated: string): readonly string[] {
  try {
    const entries = readdirSync(join(folder, generated), { withFileTypes: true });
    return entries.filter(entry => entry.isFile()).map(entry => `${generated}/${entry.name}`);
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

function main(options: readonly string[]): number {
  const unknown = options.find(option => option !== '--check');
  if (unknown !== undefined) {
    console.error(`Unknown option ${unknown}; the only one is --check`);
    return 2;
  }
  if (!options.includes('--check')) {
    const changed = writeOutputs(import.meta.dirname, outputs);
    console.log(`${outputs.length} files generated, ${changed.length} changed`);
    return 0;
  }
  const drift = findDrift(import.meta.dirname, outputs);
  if (drift.length === 0) {
    return 0;
  }
  console.error('Generated files below infra/kubernetes differ from their sources:');
  for (const path of drift) {
    console.error(`  ${path}`);
  }
  console.error('Run: npm run generate');
  return 1;
}

if (import.meta.main) {
  process.exitCode = main(process.argv.slice(2));
}
