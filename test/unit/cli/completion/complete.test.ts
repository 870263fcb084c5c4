import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { commands } from '../../../../cli/commands.ts';
import { runCommandLine } from '../../../../cli/run-command-line.ts';
import { projectRoot } from '../../../../infra/bundles/bundle.ts';

const onlyChoices = ':4';
const described = commands.map(({ name, summary }) => `${name}\t${summary}`);

async function complete(...words: readonly string[]): Promise<readonly string[]> {
  let output = '';
  await runCommandLine(['__complete', ...words], text => {
    output += text;
  });
  return output.split('\n').slice(0, -1);
}

describe('the completion of kubectl', () => {
  it('offers the commands with their summaries, and the help', async () => {
    const all = [...described, 'help\tPrint the help of a command', '--help', onlyChoices];
    expect(await complete('')).toEqual(all);
    expect(await complete()).toEqual(all);
    expect(await complete('help', '')).toEqual([...described, onlyChoices]);
  });

  it.each([
    { words: ['red'], lines: [expect.stringMatching(/^redrive\t/), onlyChoices], reason: 'the start of a command' },
    { words: ['help', 'plan', ''], lines: [onlyChoices], reason: 'help takes one command' },
    { words: ['plam', ''], lines: [onlyChoices], reason: 'no such command' },
    { words: ['check', '--f'], lines: ['--format\ttext', onlyChoices], reason: 'an option, with its description' },
    { words: ['completion', 'z'], lines: ['zsh', onlyChoices], reason: 'an operand' },
    { words: ['start', '--sources', 'w'], lines: ['windowed', onlyChoices], reason: 'a value of an option' },
    { words: ['start', '--port', ''], lines: [onlyChoices], reason: 'an option with any value' },
    { words: ['start', '--data', ''], lines: [':0'], reason: 'a file as a value' },
    { words: ['start', '--provider', 'x'], lines: [':16'], reason: 'a folder as a value' },
    { words: ['check', 'x'], lines: [':0'], reason: 'a file as an operand' },
    { words: ['cost', '--lean', ''], lines: [onlyChoices], reason: 'an option without value' },
  ])('offers $lines after $words: $reason', async ({ words, lines }) => {
    expect(await complete(...words)).toEqual(lines);
  });
});

describe('the executable for kubectl', () => {
  const name = 'kubectl_complete-capi_serverless';
  const hasKubectl = spawnSync('kubectl', ['version', '--client']).status === 0;
  let folder: string;

  /** Links the executables like npm. */
  beforeAll(() => {
    folder = mkdtempSync(path.join(tmpdir(), 'capi-complete-'));
    const { bin } = JSON.parse(readFileSync(path.join(projectRoot, 'cli/package.json'), 'utf8'));
    for (const [link, file] of Object.entries<string>(bin)) {
      symlinkSync(path.join(projectRoot, 'cli', file), path.join(folder, link));
    }
  });

  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  const env = (): NodeJS.ProcessEnv => ({ ...process.env, NODE_OPTIONS: '', PATH: `${folder}:${process.env['PATH']}` });

  it('has the name that kubectl looks for, and completes', () => {
    const output = execFileSync(name, ['completion', 'f'], { encoding: 'utf8', env: env() });
    expect(output).toBe('fish\n:4\n');
  });

  it.runIf(hasKubectl)('is called by kubectl', () => {
    const args = ['__complete', 'capi-serverless', 'completion', 'f'];
    const { stdout } = spawnSync('kubectl', args, { encoding: 'utf8', env: env() });
    expect(stdout).toBe('fish\n:4\n');
  });
});
