// The interface of a command of `capi-serverless`.
import { exitCodes } from '../local/exit-codes.ts';
import type { CompletedValues, OptionDefinitions } from './arguments.ts';

/** Writes to standard output. */
export type Print = (text: string) => void;

export interface CliCommand {
  readonly options: OptionDefinitions;
  /** The words that completion offers in addition to options. Default: none. */
  readonly operands?: CompletedValues;
  help(): string;
  /** Runs the command with the arguments after its name. Resolves with the exit code. Throws UsageError. */
  run(args: readonly string[], print: Print): Promise<number>;
}

/** A row of the table of commands. */
export interface CommandEntry {
  readonly name: string;
  /** A one-line description. */
  readonly summary: string;
  /** Loads the command. A command is loaded only when it runs. */
  load(): Promise<CliCommand>;
}

interface CommandDefinition<Options> extends Omit<CliCommand, 'run'> {
  /** Throws UsageError. */
  parse(args: readonly string[]): Options | 'help';
  /** Resolves with the exit code. Throws UsageError. */
  execute(options: Options, print: Print): Promise<number>;
}

/** Creates a command that parses its arguments and prints its help on request. */
export function defineCommand<Options>({ parse, execute, ...command }: CommandDefinition<Options>): CliCommand {
  return {
    ...command,
    async run(args, print) {
      const options = parse(args);
      if (options === 'help') {
        print(command.help());
        return exitCodes.done;
      }
      return execute(options, print);
    },
  };
}
