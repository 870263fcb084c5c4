// The completion script of bash 3.2 (the version of macOS) and later.
import type { CompletedValues } from '../arguments.ts';
import type { CompletedCommand, CompletedOption } from './completed-command.ts';

export function toBashScript(commands: readonly CompletedCommand[]): string {
  const names = commands.map(({ name }) => name).join(' ');
  return `# bash completion of capi-serverless; made by: capi-serverless completion bash
_capi_serverless_files() {
  compopt -o filenames 2>/dev/null
  COMPREPLY=($(compgen -f -- "$1"))
}

_capi_serverless() {
  local current="\${COMP_WORDS[COMP_CWORD]}" previous="\${COMP_WORDS[COMP_CWORD-1]}"
  COMPREPLY=()
  if [[ $COMP_CWORD -eq 1 ]]; then
    COMPREPLY=($(compgen -W "${names} help --help" -- "$current"))
    return
  fi
  case "\${COMP_WORDS[1]}" in
    help) COMPREPLY=($(compgen -W "${names}" -- "$current")) ;;
${commands.map(toCase).join('\n')}
  esac
}

complete -F _capi_serverless capi-serverless kubectl-capi_serverless
`;
}

function toCase({ name, options, operands }: CompletedCommand): string {
  const valued = options.filter(({ takesValue }) => takesValue);
  const lines = [
    ...(valued.length === 0 ? [] : ['case "$previous" in', ...valued.map(toValueCase), 'esac']),
    `if [[ "$current" == -* ]]; then COMPREPLY=($(compgen -W "${options.map(option => option.name).join(' ')}" -- "$current")); return; fi`,
    toReply(operands),
  ];
  return [`    ${name})`, ...lines.map(line => `      ${line}`), '      ;;'].join('\n');
}

function toValueCase({ name, values }: CompletedOption): string {
  return `  ${name}) ${toReply(values)}; return ;;`;
}

function toReply(values: CompletedValues): string {
  if (typeof values === 'string') {
    return '_capi_serverless_files "$current"';
  }
  return values.length === 0 ? ':' : `COMPREPLY=($(compgen -W "${values.join(' ')}" -- "$current"))`;
}
