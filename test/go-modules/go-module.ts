// Go programs for tests and benches: their sources, and the location of the built programs.
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { testCacheDir } from '../support/test-cache.ts';

export interface GoModule {
  /** The prefix of its folder name in the cache. */
  readonly name: string;
  /** The name of the programs for users, for example "test control plane". */
  readonly title: string;
  /** The folder with go.mod and go.sum. */
  readonly dir: string;
  /** The names of the programs, and the package of each program. */
  readonly programs: Readonly<Record<string, string>>;
  readonly buildFlags: readonly string[];
  /** The Go sources in this project, relative to `dir`. */
  readonly sources: readonly string[];
  /** The duration of the first build of all programs on two cores, for users. */
  readonly firstBuild: string;
}

/** The names of this machine's system and processor in Go. */
export const target = {
  os: process.platform === 'win32' ? 'windows' : process.platform,
  arch: process.arch === 'x64' ? 'amd64' : process.arch,
};

/**
 * Returns the folder of the built programs, outside the checkout. Its name contains a hash of all inputs of the build.
 * If it exists, it is complete.
 */
export function builtDir(module: GoModule, env: Readonly<Record<string, string | undefined>> = process.env): string {
  return join(testCacheDir(env), `${module.name}-${contentHash(module)}`);
}

function contentHash({ dir, sources, buildFlags, programs }: GoModule): string {
  const hash = createHash('sha256');
  for (const file of ['go.mod', 'go.sum', ...sources]) {
    hash
      .update(file)
      .update('\0')
      .update(readFileSync(join(dir, file)))
      .update('\0');
  }
  hash.update(JSON.stringify([buildFlags, programs, target]));
  return hash.digest('hex').slice(0, 16);
}
