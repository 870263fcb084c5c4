// Programs written in Go that tests and benches run against: what is built, and where the result lies.
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { testCacheDir } from '../support/test-cache.ts';

export interface GoModule {
  /** Begins the name of its folder in the cache. */
  readonly name: string;
  /** What the programs are, for people: "test control plane". */
  readonly title: string;
  /** The folder that holds go.mod and go.sum. */
  readonly dir: string;
  /** Names of the programs, and the package of each. */
  readonly programs: Readonly<Record<string, string>>;
  readonly buildFlags: readonly string[];
  /** Go sources of ours, relative to `dir`. */
  readonly sources: readonly string[];
  /** How long the first build of all programs takes on two cores, for people. */
  readonly firstBuild: string;
}

/** Go's names of this machine's system and processor. */
export const target = {
  os: process.platform === 'win32' ? 'windows' : process.platform,
  arch: process.arch === 'x64' ? 'amd64' : process.arch,
};

/** The folder of the built programs, outside the checkout and named by a hash over all that decides its content: complete whenever it exists. */
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
