// What the command lines of this project share: one line that says what is wrong with them.
import { type ParseArgsConfig, parseArgs } from 'node:util';
import { type Kind, type Name, type ObjectRef, toApiVersion } from '../../shared/api/object.ts';
import { toError } from '../../shared/kernel/errors.ts';
import type { Declaration } from '../../shared/kernel/types.ts';
import { UsageError } from './options.ts';

/** `parseArgs` of Node. Throws UsageError that names the first problem. */
export function parseArguments<T extends ParseArgsConfig>(config: T) {
  try {
    return parseArgs(config);
  } catch (cause) {
    // Node goes on with advice for programs, after a full stop.
    const [problem] = toError(cause).message.split(/\.\s/);
    throw new UsageError(`${problem}; --help lists the options`, { cause });
  }
}

/** Reads `NAMESPACE/NAME`, or of a kind without namespaces its `NAME`; the namespace is then "". Throws UsageError. */
export function parseObjectName(text: string, scope: Kind['scope'] = 'Namespaced'): Name {
  if (scope === 'Cluster') {
    if (text === '' || text.includes('/')) {
      throw new UsageError(`"${text}" names no object without namespace; write its NAME alone`);
    }
    return { namespace: '', name: text };
  }
  const [namespace = '', name = '', ...rest] = text.split('/');
  if (namespace === '' || name === '' || rest.length > 0) {
    throw new UsageError(`"${text}" names no object; write it as NAMESPACE/NAME`);
  }
  return { namespace, name };
}

/** The reference to the primary of that name. */
export function toPrimaryRef({ primary }: Pick<Declaration, 'primary'>, { namespace, name }: Name): ObjectRef {
  const place = namespace === '' ? {} : { namespace };
  return { apiVersion: toApiVersion(primary), kind: primary.kind, name, ...place };
}

/** Names of the reconcilers whose objects have no namespace. */
export function clusterScoped(declarations: readonly Pick<Declaration, 'name' | 'primary'>[]): readonly string[] {
  return declarations.filter(({ primary }) => primary.scope === 'Cluster').map(({ name }) => name);
}
