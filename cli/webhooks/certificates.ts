// The certificates that an API server trusts for the address of a function.
import { readFileSync } from 'node:fs';
import { toError } from '@capi-serverless/reconciler';
import { UsageError } from '../../local/usage-error.ts';

/** Returns the text of the file, or `undefined` without a file. Throws UsageError if it cannot be read. */
export function readCertificates(file: string | undefined): string | undefined {
  if (file === undefined) {
    return undefined;
  }
  try {
    return readFileSync(file, 'utf8');
  } catch (cause) {
    throw new UsageError(`--ca ${file} cannot be read: ${toError(cause).message}`, { cause });
  }
}
