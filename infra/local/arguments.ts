// What the command lines of this project share: one line that says what is wrong with them.
import { type ParseArgsConfig, parseArgs } from 'node:util';
import type { Name } from '../../shared/api/object.ts';
import { toError } from '../../shared/kernel/errors.ts';
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

/** Reads `NAMESPACE/NAME`. Throws UsageError. */
export function parseObjectName(text: string): Name {
  const [namespace = '', name = '', ...rest] = text.split('/');
  if (namespace === '' || name === '' || rest.length > 0) {
    throw new UsageError(`"${text}" names no object; write it as NAMESPACE/NAME`);
  }
  return { namespace, name };
}
