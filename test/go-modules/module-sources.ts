// The sources of modules on which a Go module depends.
import { spawnSync } from 'node:child_process';
import { GoBuildError, goEnvironment } from './build-go-module.ts';
import type { GoModule } from './go-module.ts';

/** Returns Go's folder of the sources of `module`. Downloads them if they are not in the cache of Go. */
export function moduleSourceDir({ dir: cwd }: Pick<GoModule, 'dir'>, module: string): string {
  const asked = spawnSync('go', ['mod', 'download', '-json', module], { cwd, env: goEnvironment, encoding: 'utf8' });
  const { Dir: dir }: { readonly Dir?: string } = asked.status === 0 ? JSON.parse(asked.stdout) : {};
  if (dir === undefined) {
    throw new GoBuildError(`Go cannot provide the sources of ${module}: ${asked.stderr.trim()}`);
  }
  return dir;
}
