// Completes one command line, in the format that kubectl expects from the completion executable of a plugin.
// https://github.com/kubernetes/enhancements/tree/master/keps/sig-cli/2379-kubectl-plugins#shell-completion-support
import type { CompletedValues } from '../arguments.ts';
import type { CommandEntry } from '../command.ts';
import { type CompletedCommand, toCompletedCommand } from './completed-command.ts';

/** The hidden command that completes words. Its arguments are the words of the command line. */
export const completeCommand = '__complete';

/** https://pkg.go.dev/github.com/spf13/cobra#ShellCompDirective */
const directives = { files: 0, onlyChoices: 4, folders: 16 } as const;

interface Choice {
  readonly word: string;
  /** The description. "" if there is none. */
  readonly description: string;
}

interface Offer {
  readonly choices: readonly Choice[];
  readonly directive: keyof typeof directives;
}

/** Returns one line for each choice, then the directive. The last word is the one to complete. It may be "". */
export async function complete(words: readonly string[], commands: readonly CommandEntry[]): Promise<string> {
  const current = words.at(-1) ?? '';
  const { choices, directive } = await offer(words, commands);
  const lines = choices
    .filter(({ word }) => word.startsWith(current))
    .map(({ word, description }) => (description === '' ? word : `${word}\t${description}`));
  return [...lines, `:${directives[directive]}`, ''].join('\n');
}

async function offer(words: readonly string[], commands: readonly CommandEntry[]): Promise<Offer> {
  const [name = ''] = words;
  const named = commands.map(({ name: word, summary }): Choice => ({ word, description: summary }));
  if (words.length <= 1) {
    return only([...named, { word: 'help', description: 'Print the help of a command' }, plain('--help')]);
  }
  if (name === 'help') {
    return only(words.length === 2 ? named : []);
  }
  const entry = commands.find(command => command.name === name);
  return entry === undefined ? only([]) : offerOf(await toCompletedCommand(entry), words.slice(1));
}

function offerOf({ options, operands }: CompletedCommand, words: readonly string[]): Offer {
  const valued = options.find(option => option.takesValue && option.name === words.at(-2));
  if (valued !== undefined) {
    return toOffer(valued.values);
  }
  return words.at(-1)?.startsWith('-') === true
    ? only(options.map(({ name: word, description }) => ({ word, description })))
    : toOffer(operands);
}

function toOffer(values: CompletedValues): Offer {
  if (typeof values === 'string') {
    return { choices: [], directive: values === 'folder' ? 'folders' : 'files' };
  }
  return only(values.map(plain));
}

function plain(word: string): Choice {
  return { word, description: '' };
}

function only(choices: readonly Choice[]): Offer {
  return { choices, directive: 'onlyChoices' };
}
