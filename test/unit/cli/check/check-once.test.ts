import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { checkOnce } from '../../../../cli/check/check-once.ts';
import { type CheckOptions, parseCheckOptions } from '../../../../cli/check/options.ts';
import { UsageError } from '../../../../local/usage-error.ts';

const good = 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: good}\n';
const bad = 'apiVersion: v1\nkind: ConfigMap\nmetadata: {}\n';
const repeated = `${good}---\n${good}`;

let folder = '';

beforeAll(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'check-'));
  writeFileSync(path.join(folder, 'good.yaml'), good);
  writeFileSync(path.join(folder, 'bad.yml'), bad);
  writeFileSync(path.join(folder, 'notes.txt'), 'no manifest: [');
});

afterAll(() => rmSync(folder, { recursive: true }));

async function run(...args: readonly string[]): Promise<{ readonly code: number; readonly text: string }> {
  const options = parseCheckOptions(args);
  if (options === 'help') {
    throw new Error('asked for help');
  }
  let text = '';
  const code = await checkOnce(options, part => {
    text += part;
  });
  return { code, text };
}

describe('the command', () => {
  test('reports that there are no findings', async () => {
    const { code, text } = await run(path.join(folder, 'good.yaml'));
    expect(code).toBe(0);
    expect(text).toBe('1 object checked, 0 errors, 0 warnings\n');
  });

  test('reads the manifests of a directory, and fails for any of them', async () => {
    const { code, text } = await run(folder);
    expect(code).toBe(1);
    expect(text.split('\n')).toEqual([
      expect.stringContaining('bad.yml:3:1: error: metadata.name is missing'),
      '1 object checked, 1 error, 0 warnings',
      '',
    ]);
  });

  test('names a file that cannot be read', async () => {
    await expect(run(path.join(folder, 'missing.yaml'))).rejects.toThrow(UsageError);
    await expect(run(path.join(folder, 'missing.yaml'))).rejects.toThrow(/missing\.yaml cannot be read/);
  });

  test('reports an object that is in two files', async () => {
    writeFileSync(path.join(folder, 'repeated.yaml'), repeated);
    const { code } = await run(path.join(folder, 'good.yaml'), path.join(folder, 'repeated.yaml'));
    expect(code).toBe(1);
  });
});

describe('the command line', () => {
  test.each<{ readonly reason: string; readonly args: readonly string[]; readonly options: CheckOptions }>([
    { reason: 'files', args: ['a', 'b'], options: { files: ['a', 'b'], format: 'text', strict: false } },
    {
      reason: 'everything',
      args: ['--format', 'github', '--strict', 'a'],
      options: { files: ['a'], format: 'github', strict: true },
    },
  ])('takes $reason', ({ args, options }) => {
    expect(parseCheckOptions(args)).toEqual(options);
  });

  test.each([
    { reason: 'no file', args: [], error: 'Name the files to check' },
    { reason: 'an empty name', args: [''], error: 'Name the files to check' },
    {
      reason: 'an unknown format',
      args: ['--format', 'xml', 'a'],
      error: 'There is no format "xml"; known are text, json, github',
    },
    { reason: 'an unknown option', args: ['--fix', 'a'], error: '--fix' },
  ])('refuses $reason', ({ args, error }) => {
    expect(() => parseCheckOptions(args)).toThrow(UsageError);
    expect(() => parseCheckOptions(args)).toThrow(error);
  });

  test('knows help', () => {
    expect(parseCheckOptions(['--help'])).toBe('help');
  });
});
