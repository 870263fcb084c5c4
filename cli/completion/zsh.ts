// The completion script of zsh.
import type { CompletedValues } from '../arguments.ts';
import type { CompletedCommand, CompletedOption } from './completed-command.ts';

export function toZshScript(commands: readonly CompletedCommand[]): string {
  return `#compdef capi-serverless kubectl-capi_serverless
# zsh completion of capi-serverless; made by: capi-serverless completion zsh
_capi_serverless() {
  local -a commands
  commands=(
${commands.map(({ name, summary }) => `    ${quoted(`${name}:${summary}`)}`).join('\n')}
    'help:Print the help of a command'
  )
  if (( CURRENT == 2 )); then
    _describe command commands
    return
  fi
  local command="$words[2]"
  shift words
  (( CURRENT-- ))
  case "$command" in
    help) _describe command commands ;;
${commands.map(toCase).join('\n')}
  esac
}

if [[ "$funcstack[1]" == _capi_serverless ]]; then
  _capi_serverless "$@"
else
  compdef _capi_serverless capi-serverless kubectl-capi_serverless
fi
`;
}

function toCase({ name, options, operands }: CompletedCommand): string {
  const specs = [...options.map(toSpec), ...(operands.length === 0 ? [] : [quoted(`*:operand:${toAction(operands)}`)])];
  return `    ${name})
      _arguments ${specs.join(' \\\n        ')}
      ;;`;
}

function toSpec({ name, description, takesValue, isMultiple, values }: CompletedOption): string {
  const text = `[${description.replaceAll(/[[\]\\]/g, '\\$&')}]`;
  return quoted(`${isMultiple ? '*' : ''}${name}${text}${takesValue ? `:value:${toAction(values)}` : ''}`);
}

function toAction(values: CompletedValues): string {
  if (typeof values === 'string') {
    return values === 'folder' ? '_files -/' : '_files';
  }
  return values.length === 0 ? '' : `(${values.join(' ')})`;
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
