// Builds the programs of a Go module, once per version, into the user's cache.
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { builtDir, type GoModule, target } from './go-module.ts';

const progressEveryMs = 10_000;

/** The settings of every Go command, so that all commands use the same modules. */
export const goEnvironment = {
  ...process.env,
  CGO_ENABLED: '0',
  GOOS: target.os,
  GOARCH: target.arch,
  GOFLAGS: '-mod=readonly',
};

/** The error if Go is missing or too old, or if a build failed. The message names the cause. */
export class GoBuildError extends Error {
  override readonly name = 'GoBuildError';
}

/**
 * Resolves with the folder that contains the programs. Builds them only if no earlier call did. `say` receives the
 * progress.
 */
export async function buildGoModule(module: GoModule, say: (line: string) => void): Promise<string> {
  const dir = builtDir(module);
  if (existsSync(dir)) {
    return dir;
  }
  requireGo(module);
  mkdirSync(dirname(dir), { recursive: true });
  const temporary = mkdtempSync(`${dir}.building-`);
  try {
    for (const name of Object.keys(module.programs)) {
      await build(module, name, { into: temporary, say });
    }
    publish(temporary, dir);
  } finally {
    rmSync(temporary, { recursive: true, force: true });
  }
  return dir;
}

/** Go 1.21 and later download the toolchain of go.mod. This setting prevents that. */
export function requireGo({ dir, title }: Pick<GoModule, 'dir' | 'title'>): void {
  const wanted = /^go (\d+)\.(\d+)/m.exec(readFileSync(join(dir, 'go.mod'), 'utf8'));
  const needed = `Go ${wanted?.[1]}.${wanted?.[2]} or newer is needed to build the ${title}`;
  const asked = spawnSync('go', ['env', 'GOVERSION'], { cwd: dir, env: goEnvironment, encoding: 'utf8' });
  if (asked.error !== undefined) {
    throw new GoBuildError(
      `${needed}, and no "go" can be run (${asked.error.message}); install it from https://go.dev/dl`,
    );
  }
  if (asked.status !== 0) {
    throw new GoBuildError(`${needed}: ${asked.stderr.trim().replaceAll('\n', ' ')}`);
  }
  const found = /^go(\d+)\.(\d+)/.exec(asked.stdout);
  const isOld = Number(found?.[1]) === Number(wanted?.[1]) && Number(found?.[2]) < Number(wanted?.[2]);
  if (isOld) {
    throw new GoBuildError(`${needed}; found ${asked.stdout.trim()}`);
  }
}

/** Go prints one line per downloaded module and (-v) per compiled package. The last line is shown as progress. */
function build(
  { dir, programs, buildFlags, firstBuild }: GoModule,
  name: string,
  { into, say }: { readonly into: string; readonly say: (line: string) => void },
): Promise<void> {
  say(`Building ${name} (the first build takes ${firstBuild})`);
  const startedAt = Date.now();
  const go = spawn('go', ['build', '-v', ...buildFlags, '-o', join(into, name), programs[name] ?? name], {
    cwd: dir,
    env: goEnvironment,
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const lines: string[] = [];
  createInterface({ input: go.stderr }).on('line', line => lines.push(line));
  const elapsed = (): string => `${Math.round((Date.now() - startedAt) / 1000)} s`;
  const ticker = setInterval(() => {
    say(`  ${name}, ${elapsed()}, ${lines.length} steps: ${lines.at(-1) ?? 'reading the cache'}`);
  }, progressEveryMs);
  return new Promise<void>((resolve, reject) => {
    go.on('error', reject);
    go.on('close', code => {
      if (code === 0) {
        say(`  ${name} done in ${elapsed()}`);
        resolve();
      } else {
        reject(new GoBuildError(`go build of ${name} ended with ${code}:\n${lines.slice(-20).join('\n')}`));
      }
    });
  }).finally(() => clearInterval(ticker));
}

/** Another build may have finished first. Its folder has the same content. */
function publish(temporary: string, dir: string): void {
  try {
    renameSync(temporary, dir);
  } catch (cause) {
    if (!existsSync(dir)) {
      throw cause;
    }
  }
}
