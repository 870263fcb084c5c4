import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { StoreSnapshot } from '@capi-serverless/apiserver/snapshot';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { checkWritable, keepSaved } from '../../../local/data-file.ts';
import { UsageError } from '../../../local/usage-error.ts';
import { SteppedClock } from '../../support/stepped-clock.ts';

let folder: string;
let file: string;
let clock: SteppedClock;
let version: number;
const failures: string[] = [];

const core = {
  resourceVersion: () => String(version),
  snapshot: (): StoreSnapshot => ({ v: 1, resourceVersion: version, objects: [] }),
};
const saved = (): unknown => JSON.parse(readFileSync(file, 'utf8')).resourceVersion;
const start = () => keepSaved({ file, core, clock, onFailure: message => failures.push(message) });

beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'capi-data-'));
  file = path.join(folder, 'data.json');
  clock = new SteppedClock();
  version = 1;
  failures.splice(0);
});

afterEach(() => rmSync(folder, { recursive: true, force: true }));

describe('a data file', () => {
  it('can be written, and nothing is left of the attempt', async () => {
    await checkWritable(file);
    expect(existsSync(`${file}.new`)).toBe(false);
  });

  it('in a missing folder is refused with the remedy', async () => {
    const missing = path.join(folder, 'missing/data.json');
    await expect(checkWritable(missing)).rejects.toThrow(UsageError);
    await expect(checkWritable(missing)).rejects.toThrow(
      /^Data file .*data\.json cannot be written: ENOENT.*; make its folder, or name another file$/,
    );
  });

  it('is saved five seconds after a change, and not without one', async () => {
    const saving = start();
    await clock.advance(60_000);
    expect(existsSync(file)).toBe(false);
    version = 2;
    await clock.advance(5_000);
    await vi.waitFor(() => expect(saved()).toBe(2));
    await saving.stop();
  });

  it('is saved at the end', async () => {
    const saving = start();
    version = 3;
    await saving.stop();
    expect(saved()).toBe(3);
    expect(clock.sleepers).toBe(0);
  });

  it('that cannot be saved is reported once, and saved when it can be', async () => {
    mkdirSync(`${file}.new`);
    const saving = start();
    version = 2;
    await clock.advance(5_000);
    await vi.waitFor(() => expect(failures).toHaveLength(1));
    await vi.waitFor(() => expect(clock.sleepers).toBe(1));
    await clock.advance(5_000);
    await vi.waitFor(() => expect(clock.sleepers).toBe(1));
    expect(failures).toEqual([expect.stringContaining(`Data file ${file} cannot be written: EISDIR`)]);
    rmdirSync(`${file}.new`);
    await clock.advance(5_000);
    await vi.waitFor(() => expect(saved()).toBe(2));
    mkdirSync(`${file}.new`);
    await expect(saving.stop()).rejects.toThrow(UsageError);
  });
});
