// The completion script of fish.
import type { CompletedValues } from '../arguments.ts';
import type { CompletedCommand, CompletedOption } from './completed-command.ts';

const executables = ['capi-serverless', 'kubectl-capi_serverless'] as const;

export function toFishScript(commands: readonly CompletedCommand[]): string {
  const lines = executables.flatMap(executable => [
    `complete -c ${executable} -f`,
    ...commands.map(
      ({ name, summary }) => `complete -c ${executable} -n __fish_use_subcommand -a ${name} -d ${quoted(summary)}`,
    ),
    `complete -c ${executable} -n __fish_use_subcommand -a help -d 'Print the help of a command'`,
    ...commands.flatMap(command => toLines(executable, command)),
  ]);
  return `# fish completion of capi-serverless; made by: capi-serverless completion fish\n${lines.join('\n')}\n`;
}

function toLines(executable: string, { name, options, operands }: CompletedCommand): readonly string[] {
  const start = `complete -c ${executable} -n '__fish_seen_subcommand_from ${name}'`;
  return [
    ...options.map(option => `${start} -l ${option.name.slice(2)}${toValue(option)} -d ${quoted(option.description)}`),
    ...(operands.length === 0 ? [] : [`${start}${toWords(operands)}`]),
  ];
}

/** `-x` means a value but no file. `-r` means a value. */
function toValue({ takesValue, values }: CompletedOption): string {
  if (!takesValue) {
    return '';
  }
  return typeof values === 'string' ? ' -r -F' : ` -x${values.length === 0 ? '' : toWords(values)}`;
}

function toWords(values: CompletedValues): string {
  return typeof values === 'string' ? ' -F' : ` -a ${quoted(values.join(' '))}`;
}

function quoted(text: string): string {
  return `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
}
