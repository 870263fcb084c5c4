// Runs the compiler of this project with other options.
import { execFile } from 'node:child_process';
import { rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { projectRoot } from '../bundles/bundle.ts';

interface Compilation {
  /** The file of the settings. It is removed afterwards. */
  readonly config: string;
  /** Replace those of tsconfig.json. */
  readonly compilerOptions: Readonly<Record<string, unknown>>;
  /** Absolute paths. */
  readonly files: readonly string[];
}

/** Throws an error with the output of the compiler. */
export async function compile({ config, compilerOptions, files }: Compilation): Promise<void> {
  const base = path.join(projectRoot, 'tsconfig.json');
  await writeFile(config, JSON.stringify({ extends: base, compilerOptions, files, include: [] }));
  const tsc = path.join(projectRoot, 'node_modules/typescript/bin/tsc');
  try {
    await promisify(execFile)(process.execPath, [tsc, '-p', config], { cwd: projectRoot });
  } catch (cause) {
    const output = cause instanceof Error && 'stdout' in cause ? String(cause.stdout) : String(cause);
    throw new Error(`The package cannot be compiled: ${output.trim()}`, { cause });
  } finally {
    await rm(config);
  }
}
