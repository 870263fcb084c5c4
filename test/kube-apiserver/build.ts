// Builds kube-apiserver, kube-controller-manager and etcd for the tests, once per version, into the user's cache.
// Run as `npm run kube-apiserver`; see README.md beside this file.
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { buildFlags, builtControlPlaneDir, moduleDir, programs, target } from './location.ts';

const progressEveryMs = 10_000;
const goEnvironment = {
  ...process.env,
  CGO_ENABLED: '0',
  GOOS: target.os,
  GOARCH: target.arch,
  GOFLAGS: '-mod=readonly',
};

class BuildError extends Error {}

async function main(): Promise<void> {
  const dir = builtControlPlaneDir();
  if (existsSync(dir)) {
    console.log(`Control plane is built already: ${dir}`);
    return;
  }
  checkGo();
  mkdirSync(dirname(dir), { recursive: true });
  const temporary = mkdtempSync(`${dir}.building-`);
  try {
    for (const [name, source] of Object.entries(programs)) {
      await build(name, source, temporary);
    }
    publish(temporary, dir);
  } finally {
    rmSync(temporary, { recursive: true, force: true });
  }
  console.log(`Control plane is ready: ${dir}`);
}

/** Go 1.21 and later fetch the toolchain that go.mod asks for by themselves, unless they are told not to. */
function checkGo(): void {
  const wanted = /^go (\d+)\.(\d+)/m.exec(readFileSync(join(moduleDir, 'go.mod'), 'utf8'));
  const needed = `Go ${wanted?.[1]}.${wanted?.[2]} or newer is needed to build the test control plane`;
  const asked = spawnSync('go', ['env', 'GOVERSION'], { cwd: moduleDir, env: goEnvironment, encoding: 'utf8' });
  if (asked.error !== undefined) {
    throw new BuildError(
      `${needed}, and no "go" can be run (${asked.error.message}); install it from https://go.dev/dl`,
    );
  }
  if (asked.status !== 0) {
    throw new BuildError(`${needed}: ${asked.stderr.trim().replaceAll('\n', ' ')}`);
  }
  const found = /^go(\d+)\.(\d+)/.exec(asked.stdout);
  const isOld = Number(found?.[1]) === Number(wanted?.[1]) && Number(found?.[2]) < Number(wanted?.[2]);
  if (isOld) {
    throw new BuildError(`${needed}; found ${asked.stdout.trim()}`);
  }
}

/** Go prints one line per module it downloads and (-v) per package it compiles; the last one is the progress shown. */
function build(name: string, source: string, into: string): Promise<void> {
  console.log(`Building ${name} (the first build of all three takes 5 to 15 minutes)`);
  const startedAt = Date.now();
  const go = spawn('go', ['build', '-v', ...buildFlags, '-o', join(into, name), source], {
    cwd: moduleDir,
    env: goEnvironment,
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const lines: string[] = [];
  createInterface({ input: go.stderr }).on('line', line => lines.push(line));
  const elapsed = () => `${Math.round((Date.now() - startedAt) / 1000)} s`;
  const ticker = setInterval(() => {
    console.log(`  ${name}, ${elapsed()}, ${lines.length} steps: ${lines.at(-1) ?? 'reading the cache'}`);
  }, progressEveryMs);
  return new Promise<void>((resolve, reject) => {
    go.on('error', reject);
    go.on('close', code => {
      if (code === 0) {
        console.log(`  ${name} done in ${elapsed()}`);
        resolve();
      } else {
        reject(new BuildError(`go build of ${name} ended with ${code}:\n${lines.slice(-20).join('\n')}`));
      }
    });
  }).finally(() => clearInterval(ticker));
}

/** Another build may have finished first: its folder holds the same content. */
function publish(temporary: string, dir: string): void {
  try {
    renameSync(temporary, dir);
  } catch (cause) {
    if (!existsSync(dir)) {
      throw cause;
    }
  }
}

try {
  await main();
} catch (error) {
  console.error(error instanceof BuildError ? error.message : error);
  process.exitCode = 1;
}
