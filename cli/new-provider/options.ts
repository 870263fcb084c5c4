// The command line of `capi-serverless new-provider`.

import { simulatedCrds } from '../../local/provider/crds/index.ts';
import { UsageError } from '../../local/usage-error.ts';
import { type OptionDefinitions, parseArguments } from '../arguments.ts';

export interface NewProvider {
  /** The name in kebab case, without the suffix of the kind. */
  readonly name: string;
  readonly group: string;
  readonly folder: string;
}

interface NewProviderOptions extends NewProvider {
  readonly json: boolean;
}

const usage = 'capi-serverless new-provider NAME [--folder FOLDER] [--group GROUP]';
const defaultGroup = 'infrastructure.cluster.x-k8s.io';
const longestName = 20;

export const newProviderHelp = `Usage: ${usage}

Writes a small infrastructure provider that works: the definitions of its kinds, the code, tests with the conformance suite,
a stack for AWS, and this package to install. It runs at once: capi-serverless start --provider FOLDER

  NAME             such as rack: the kinds are RackCluster and RackClusterTemplate
  --folder FOLDER  a new or an empty one; default: NAME-provider, in the folder in which you are
  --group GROUP    API group of the kinds (${defaultGroup}); one of your own brings a ClusterRole
  --json           one JSON document instead of text: kind, folder and files
  --help           this text

Exit codes: 0 written, 2 could not start, 3 an error of this program.
`;

export const newProviderOptions = {
  folder: { type: 'string', values: 'folder' },
  group: { type: 'string', default: defaultGroup },
  json: { type: 'boolean', default: false },
  help: { type: 'boolean', default: false },
} as const satisfies OptionDefinitions;

/** Parses the arguments after the command's name. Throws UsageError. Returns 'help' if help is requested. */
export function parseNewProviderOptions(args: readonly string[]): NewProviderOptions | 'help' {
  const { values, positionals } = parseArguments({
    args: [...args],
    allowPositionals: true,
    options: newProviderOptions,
  });
  if (values.help) {
    return 'help';
  }
  const [name, ...others] = positionals;
  if (name === undefined || others.length > 0) {
    throw new UsageError(`Give the provider one NAME: ${usage}`);
  }
  checkName(name);
  checkGroup(values.group);
  const folder = (values.folder ?? `${name}-provider`).replace(/(?<=.)\/+$/, '');
  if (folder === '') {
    throw new UsageError('--folder names no folder');
  }
  return { name, group: values.group, folder, json: values.json };
}

function checkName(name: string): void {
  const refuse = (why: string, remedy: string): never => {
    throw new UsageError(`"${name}" cannot name a provider: ${why}; ${remedy}`);
  };
  const tidy = tidied(name);
  const write = tidy === '' ? 'write a word such as rack' : `write ${tidy}`;
  if (!/^[a-z][a-z0-9]*(-[a-z0-9]+)*$/.test(name)) {
    refuse(
      'a name consists of words of lower-case letters and digits, joined by hyphens; it starts with a letter',
      write,
    );
  }
  if (name.endsWith('cluster') || name.endsWith('provider')) {
    refuse('the ending is added', write);
  }
  if (name.length < 2 || name.length > longestName) {
    refuse(`it has ${name.length} characters`, `queues and roles are named after it: write 2 to ${longestName}`);
  }
  const kind = toKind(name);
  if (simulatedCrds.some(({ spec }) => spec.names.kind === kind)) {
    refuse(`${kind} is a kind of the simulated provider, which runs beside`, 'choose another');
  }
}

/** Returns a valid name that is similar to the input. Returns "" if there is none. */
function tidied(name: string): string {
  return name
    .replace(/([a-z0-9])([A-Z])/g, '$1-$2')
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replace(/^[-0-9]+/, '')
    .replace(/(?:-?(?:cluster|provider))+$/, '')
    .replace(/-+$/, '')
    .slice(0, longestName);
}

/** https://kubernetes.io/docs/concepts/overview/working-with-objects/names/#dns-subdomain-names */
function checkGroup(group: string): void {
  if (!/^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)+$/.test(group) || group.length > 200) {
    throw new UsageError(
      `--group "${group}" is not an API group; write a domain that you own, such as infrastructure.example.com`,
    );
  }
  if (group === 'cluster.x-k8s.io' || (group.endsWith('.k8s.io') && group !== defaultGroup)) {
    throw new UsageError(
      `--group ${group} belongs to Kubernetes; take ${defaultGroup}, or your own domain such as infrastructure.example.com`,
    );
  }
}

/** Converts `metal-rack` to `MetalRack`. */
export function toTitle(name: string): string {
  return name.replaceAll(/(?:^|-)([a-z0-9])/g, (_, first: string) => first.toUpperCase());
}

export function toKind(name: string): string {
  return `${toTitle(name)}Cluster`;
}

export function isOwnGroup(group: string): boolean {
  return group !== defaultGroup;
}
