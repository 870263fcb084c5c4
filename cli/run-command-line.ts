// Finds the command in the arguments, and runs it or prints its help.
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { exitCodes } from '../local/exit-codes.ts';
import { UsageError } from '../local/usage-error.ts';
import type { CommandEntry, Print } from './command.ts';
import { commands } from './commands.ts';
import { complete, completeCommand } from './completion/complete.ts';

/** Resolves with the exit code. Throws UsageError for a command that does not exist, and all errors of the command. */
export async function runCommandLine(args: readonly string[], print: Print): Promise<number> {
  const [name = 'help', ...rest] = args;
  if (name === completeCommand) {
    print(await complete(rest, commands));
    return exitCodes.done;
  }
  if (name === '--version') {
    print(`${version()}\n`);
    return exitCodes.done;
  }
  if (!['help', '--help', '-h'].includes(name)) {
    const command = await findCommand(name).load();
    return command.run(rest, print);
  }
  const [subject] = rest;
  print(subject === undefined ? toOverview(commands) : (await findCommand(subject).load()).help());
  return exitCodes.done;
}

function version(): string {
  const file = path.join(import.meta.dirname, 'package.json');
  const { version: own }: { readonly version: string } = JSON.parse(readFileSync(file, 'utf8'));
  return own;
}

function findCommand(name: string): CommandEntry {
  const found = commands.find(command => command.name === name);
  if (found === undefined) {
    throw new UsageError(`There is no command "${name}"; capi-serverless --help lists the commands`);
  }
  return found;
}

/** The help of the executable itself. */
function toOverview(entries: readonly CommandEntry[]): string {
  const width = Math.max(...entries.map(({ name }) => name.length));
  return `Usage: capi-serverless COMMAND [options]

Cluster API's core reconcilers as functions.

${entries.map(({ name, summary }) => `  ${name.padEnd(width)}  ${summary}`).join('\n')}

capi-serverless COMMAND --help prints the options of a command, and capi-serverless --version the version.

In a checkout, after npm ci: npx capi-serverless COMMAND. With node_modules/.bin in PATH also capi-serverless COMMAND, and
as a plugin of kubectl: kubectl capi-serverless COMMAND.
`;
}
