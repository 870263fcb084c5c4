// `capi-serverless completion`: prints the completion script of a shell.
import { exitCodes } from '../../local/exit-codes.ts';
import { UsageError } from '../../local/usage-error.ts';
import { type OptionDefinitions, parseArguments } from '../arguments.ts';
import { type CliCommand, type CommandEntry, defineCommand } from '../command.ts';
import { toBashScript } from './bash.ts';
import { toCompletedCommand } from './completed-command.ts';
import { toFishScript } from './fish.ts';
import { toZshScript } from './zsh.ts';

const scripts = { bash: toBashScript, zsh: toZshScript, fish: toFishScript } as const;
type Shell = keyof typeof scripts;
const shells = Object.keys(scripts);

const completionHelp = `Usage: capi-serverless completion bash|zsh|fish

Prints a script that completes the names of commands and their options in this shell. node_modules/.bin has to be in PATH.

  bash  capi-serverless completion bash > ~/.local/share/bash-completion/completions/capi-serverless
  zsh   capi-serverless completion zsh > FOLDER/_capi-serverless, where FOLDER is in fpath
  fish  capi-serverless completion fish > ~/.config/fish/completions/capi-serverless.fish

  --help  this text

Exit codes: 0 printed, 2 could not start, 3 an error of this program.
`;

const completionOptions = { help: { type: 'boolean' } } as const satisfies OptionDefinitions;

/** Creates the command that completes these commands. */
export function toCompletionCommand(commands: readonly CommandEntry[]): CliCommand {
  return defineCommand({
    options: completionOptions,
    operands: shells,
    help: () => completionHelp,
    parse: parseShell,
    async execute(shell, print) {
      print(scripts[shell](await Promise.all(commands.map(toCompletedCommand))));
      return exitCodes.done;
    },
  });
}

function parseShell(args: readonly string[]): Shell | 'help' {
  const { values, positionals } = parseArguments({
    args: [...args],
    allowPositionals: true,
    options: completionOptions,
  });
  if (values.help === true) {
    return 'help';
  }
  const [shell = '', ...rest] = positionals;
  if (!isShell(shell) || rest.length > 0) {
    throw new UsageError(`Expected one shell: ${shells.join(', ')}; got "${positionals.join(' ')}"`);
  }
  return shell;
}

function isShell(text: string): text is Shell {
  return Object.hasOwn(scripts, text);
}
