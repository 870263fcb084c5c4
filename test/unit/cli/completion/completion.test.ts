import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { commands } from '../../../../cli/commands.ts';
import { runCommandLine } from '../../../../cli/run-command-line.ts';
import { UsageError } from '../../../../local/usage-error.ts';

const names = commands.map(({ name }) => name);

let folder: string;

beforeAll(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'capi-completion-'));
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

async function scriptOf(shell: string): Promise<string> {
  let script = '';
  await runCommandLine(['completion', shell], text => {
    script += text;
  });
  return script;
}

function has(shell: string): boolean {
  return spawnSync(shell, ['-c', 'true']).status === 0;
}

async function fileOf(shell: string): Promise<string> {
  const file = path.join(folder, `capi-serverless.${shell}`);
  writeFileSync(file, await scriptOf(shell));
  return file;
}

async function optionsOf(name: string): Promise<readonly string[]> {
  const command = await commands.find(command => command.name === name)?.load();
  return Object.keys(command?.options ?? {}).map(option => `--${option}`);
}

describe.runIf(has('bash'))('completion in bash', () => {
  /** Returns the choices of Tab after these words. The last word may be incomplete. */
  async function complete(...words: readonly string[]): Promise<readonly string[]> {
    const program = `
      source "$1"; shift
      complete -p capi-serverless kubectl-capi_serverless >/dev/null || exit 1
      COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1))
      _capi_serverless
      printf '%s\\n' "\${COMPREPLY[@]}"`;
    const args = ['--norc', '-c', program, 'bash', await fileOf('bash'), 'capi-serverless', ...words];
    const output = execFileSync('bash', args, { encoding: 'utf8', cwd: folder });
    return output.split('\n').filter(Boolean);
  }

  it('offers the commands and the help', async () => {
    expect(await complete('')).toEqual([...names, 'help', '--help']);
    expect(await complete('ch')).toEqual(['check', 'check-contract']);
    expect(await complete('help', 're')).toEqual(['reconcile', 'redrive']);
  });

  it.each(names)('offers all options of %s', async name => {
    expect(await complete(name, '-')).toEqual(await optionsOf(name));
  });

  it.each([
    { words: ['plan', ''], offered: expect.arrayContaining(['cluster', 'topology']), reason: 'reconcilers' },
    { words: ['completion', ''], offered: ['bash', 'zsh', 'fish'], reason: 'shells' },
    { words: ['start', '--sources', 'w'], offered: ['windowed'], reason: 'values of an option' },
    { words: ['start', '--port', ''], offered: [], reason: 'an option with any value' },
    { words: ['cost', ''], offered: [], reason: 'a command without operands' },
    { words: ['check', 'capi-'], offered: ['capi-serverless.bash'], reason: 'files as operands' },
    { words: ['start', '--kubeconfig', 'capi-'], offered: ['capi-serverless.bash'], reason: 'files as a value' },
    { words: ['plam', '--'], offered: [], reason: 'no such command' },
  ])('offers $offered after $words: $reason', async ({ words, offered }) => {
    expect(await complete(...words)).toEqual(offered);
  });
});

describe.each(['zsh', 'fish'])('completion in %s', shell => {
  it('names all commands with their summaries, and all their options', async () => {
    const script = await scriptOf(shell);
    for (const { name, summary } of commands) {
      expect(script).toContain(name);
      expect(script.replaceAll(/'\\''|\\'/g, "'")).toContain(summary);
      for (const option of await optionsOf(name)) {
        expect(script).toContain(shell === 'fish' ? ` -l ${option.slice(2)} ` : `${option}[`);
      }
    }
  });

  it('offers words, files and folders', async () => {
    const script = await scriptOf(shell);
    const expected =
      shell === 'fish'
        ? ["-l sources -x -a 'forwarder windowed audit'", '-l kubeconfig -r -F', "check' -F", "-a 'bash zsh fish'"]
        : [
            ':value:(forwarder windowed audit)',
            ':value:_files',
            ':value:_files -/',
            "'*:operand:_files'",
            '(bash zsh fish)',
          ];
    for (const text of expected) {
      expect(script).toContain(text);
    }
  });

  it.runIf(has(shell))('is a script that the shell can parse', async () => {
    const { status, stderr } = spawnSync(shell, ['-n', await fileOf(shell)], { encoding: 'utf8' });
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
  });
});

it.each([{ args: [] }, { args: ['ksh'] }, { args: ['bash', 'zsh'] }])(
  'refuses $args, which is not one known shell',
  async ({ args }) => {
    await expect(runCommandLine(['completion', ...args], () => undefined)).rejects.toThrow(UsageError);
  },
);
