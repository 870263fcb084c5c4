// The common option definitions and the common parsing of all commands.
import { type ParseArgsConfig, parseArgs } from 'node:util';
import { type Kind, type Name, type ObjectRef, toApiVersion } from '@capi-serverless/apimachinery';
import { type Declaration, toError } from '@capi-serverless/reconciler';
import { UsageError } from '../local/usage-error.ts';
import { isObjectName } from '../shared/workqueue/object-names.ts';

/** The options of a command in the form of Node's `parseArgs`. */
export type OptionDefinitions = Readonly<Record<string, OptionDefinition>>;

interface OptionDefinition {
  readonly type: 'boolean' | 'string';
  readonly multiple?: boolean;
  /** One letter. */
  readonly short?: string;
  readonly default?: string | boolean;
  /** The values that completion offers. Default: none. */
  readonly values?: CompletedValues;
}

/** Whether to complete file names, folder names, or these words. */
export type CompletedValues = 'file' | 'folder' | readonly string[];

/** Calls Node's `parseArgs`. Throws UsageError with the first problem. */
export function parseArguments<T extends ParseArgsConfig>(config: T) {
  try {
    return parseArgs(config);
  } catch (cause) {
    // Node adds advice for developers after the first sentence. It is dropped.
    const [problem] = toError(cause).message.split(/\.\s/);
    throw new UsageError(`${problem}; --help lists the options`, { cause });
  }
}

/** Parses `NAMESPACE/NAME`, or `NAME` for a cluster-scoped kind. The namespace is then "". Throws UsageError. */
export function parseObjectName(text: string, scope: Kind['scope'] = 'Namespaced'): Name {
  if (scope === 'Cluster') {
    if (text === '' || text.includes('/')) {
      throw new UsageError(`"${text}" names no object without namespace; write only its NAME`);
    }
    return checkedName({ namespace: '', name: text }, text);
  }
  const [namespace = '', name = '', ...rest] = text.split('/');
  if (namespace === '' || name === '' || rest.length > 0) {
    throw new UsageError(`"${text}" names no object; write it as NAMESPACE/NAME`);
  }
  return checkedName({ namespace, name }, text);
}

/** No API server has an object with another name, and no queue accepts it. */
function checkedName(name: Name, text: string): Name {
  if (isObjectName(name)) {
    return name;
  }
  const part = isObjectName({ ...name, namespace: '' }) ? 'namespace' : 'name';
  const rule =
    part === 'name'
      ? 'lower-case letters, digits, "-" and ".", at most 253'
      : 'lower-case letters, digits and "-", at most 63';
  throw new UsageError(
    `"${text}" names no object: the ${part} is not valid. A ${part} consists of ${rule} characters; write it as kubectl prints it`,
  );
}

/** Returns the reference to the primary with this name. */
export function toPrimaryRef({ primary }: Pick<Declaration, 'primary'>, { namespace, name }: Name): ObjectRef {
  const place = namespace === '' ? {} : { namespace };
  return { apiVersion: toApiVersion(primary), kind: primary.kind, name, ...place };
}

/** Returns the names of the reconcilers of cluster-scoped kinds. */
export function clusterScoped(declarations: readonly Pick<Declaration, 'name' | 'primary'>[]): readonly string[] {
  return declarations.filter(({ primary }) => primary.scope === 'Cluster').map(({ name }) => name);
}
