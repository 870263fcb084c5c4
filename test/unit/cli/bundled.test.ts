// The program in dist/cli that replaces the sources of the command line until one of them changes.
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';

const root = path.resolve(import.meta.dirname, '../../..');
const source = 'cli/main.ts';
let checkout: string;

interface Bundled {
  currentProgram(): string | undefined;
}

interface Bundle {
  bundleCommandLine(): Promise<void>;
}

async function load<Module>(name: string): Promise<Module> {
  return (await import(pathToFileURL(path.join(checkout, 'cli', name)).href)) as Module; // true: plain JavaScript without types
}

async function currentProgram(): Promise<string | undefined> {
  const { currentProgram: find } = await load<Bundled>('bundled.js');
  return find();
}

beforeEach(async () => {
  checkout = mkdtempSync(path.join(tmpdir(), 'capi-bundled-'));
  mkdirSync(path.join(checkout, 'cli'));
  symlinkSync(path.join(root, 'node_modules'), path.join(checkout, 'node_modules'));
  for (const file of ['bundled.js', 'bundle.js', 'package.json']) {
    cpSync(path.join(root, 'cli', file), path.join(checkout, 'cli', file));
  }
  writeFileSync(path.join(checkout, source), 'export const place: string = import.meta.dirname;\n');
  const { bundleCommandLine } = await load<Bundle>('bundle.js');
  await bundleCommandLine();
});

afterEach(() => rmSync(checkout, { recursive: true, force: true }));

describe('the program of the command line', () => {
  it('is current after it was built, and has the place of its source', async () => {
    const program = await currentProgram();
    expect(program).toBe(pathToFileURL(path.join(checkout, 'dist/cli/main.js')).href);
    expect(((await import(program ?? '')) as { readonly place: string }).place).toBe(path.join(checkout, 'cli'));
  });

  it('is not current after a source was changed', async () => {
    const text = readFileSync(path.join(checkout, source), 'utf8');
    writeFileSync(path.join(checkout, source), `${text}\n`);
    expect(await currentProgram()).toBeUndefined();
  });

  it('is not current after a source was replaced by one of the same size', async () => {
    utimesSync(path.join(checkout, source), new Date(0), new Date(0));
    expect(await currentProgram()).toBeUndefined();
  });

  it('is not current after a source was removed', async () => {
    rmSync(path.join(checkout, source));
    expect(await currentProgram()).toBeUndefined();
  });

  it('is not current in a copy of the checkout', async () => {
    const original = checkout;
    checkout = `${original}-copy`;
    cpSync(original, checkout, { recursive: true, preserveTimestamps: true });
    rmSync(original, { recursive: true });
    expect(await currentProgram()).toBeUndefined();
  });

  it('does not exist before an install', async () => {
    rmSync(path.join(checkout, 'dist'), { recursive: true });
    expect(await currentProgram()).toBeUndefined();
  });
});
