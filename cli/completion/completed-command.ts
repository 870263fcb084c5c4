// A command in the form for completion scripts. It is derived from the table of commands, its options and its help.
import type { CompletedValues } from '../arguments.ts';
import type { CommandEntry } from '../command.ts';

export interface CompletedCommand {
  readonly name: string;
  readonly summary: string;
  readonly options: readonly CompletedOption[];
  readonly operands: CompletedValues;
}

export interface CompletedOption {
  /** The option, including the dashes. */
  readonly name: string;
  /** The description. "" if the help does not contain one. */
  readonly description: string;
  readonly takesValue: boolean;
  readonly isMultiple: boolean;
  /** The completed values of the option. An empty list means any value. */
  readonly values: CompletedValues;
}

export async function toCompletedCommand({ name, summary, load }: CommandEntry): Promise<CompletedCommand> {
  const command = await load();
  const descriptions = toDescriptions(command.help());
  const options = Object.entries(command.options).map(([option, { type, multiple = false, values = [] }]) => ({
    name: `--${option}`,
    description: descriptions.get(`--${option}`) ?? '',
    takesValue: type === 'string',
    isMultiple: multiple,
    values,
  }));
  return { name, summary, options, operands: command.operands ?? [] };
}

/** Returns the first clause of each help line that begins with an option. */
function toDescriptions(help: string): ReadonlyMap<string, string> {
  const lines = help.matchAll(/^ {2}(?:-[a-z], )?(--[a-z-]+)(?: [A-Z][A-Z/…]*)? +(\S.*)$/gm);
  return new Map([...lines].map(([, option = '', text = '']) => [option, text.replace(/\s*(?:[;:,(].*)?$/, '')]));
}
