import { describe, expect, it } from 'vitest';
import { commands } from '../../../cli/commands.ts';
import { runCommandLine } from '../../../cli/run-command-line.ts';
import { UsageError } from '../../../local/usage-error.ts';

async function run(...args: readonly string[]): Promise<{ readonly code: number; readonly output: string }> {
  let output = '';
  const code = await runCommandLine(args, text => {
    output += text;
  });
  return { code, output };
}

describe('capi-serverless', () => {
  it.each([{ args: [] }, { args: ['help'] }, { args: ['--help'] }, { args: ['-h'] }])(
    'lists all commands when it is called with $args',
    async ({ args }) => {
      const { code, output } = await run(...args);
      expect(code).toBe(0);
      expect(output.split('\n').filter(line => /^ {2}\S/.test(line))).toEqual(
        commands.map(({ name, summary }) => expect.stringMatching(new RegExp(`^ {2}${name} +${summary}$`))),
      );
    },
  );

  it('mentions that kubectl finds it as a plugin', async () => {
    expect((await run('help')).output).toContain('kubectl capi-serverless COMMAND');
  });

  it('prints its version', async () => {
    const output = expect.stringMatching(/^\d+\.\d+\.\d+\n$/);
    expect(await run('--version')).toEqual({ code: 0, output });
  });

  it.each([{ args: ['plam'] }, { args: ['help', 'plam'] }])(
    'refuses $args, which names no command',
    async ({ args }) => {
      await expect(run(...args)).rejects.toThrow(
        new UsageError(`There is no command "${args.at(-1)}"; capi-serverless --help lists the commands`),
      );
    },
  );
});

describe.each(commands)('capi-serverless $name', ({ name, load }) => {
  it('prints the same help for every form of the request', async () => {
    const help = await run('help', name);
    expect(help.code).toBe(0);
    expect(help.output).toMatch(new RegExp(`^Usage: capi-serverless ${name}( |\n)`));
    expect(await run(name, '--help')).toEqual(help);
  });

  it('describes each of its options, and no other', async () => {
    const command = await load();
    const described = [...command.help().matchAll(/^ {2}(?:-[a-z], )?--([a-z-]+) /gm)].map(([, option]) => option);
    expect(described.toSorted()).toEqual(Object.keys(command.options).toSorted());
  });
});
