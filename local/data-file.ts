// Stores the objects of the embedded API server in a file: reads it at start and writes it at stop.
import { readFile, rename, writeFile } from 'node:fs/promises';
import { parseSnapshot, type StoreSnapshot } from '@capi-serverless/apiserver/snapshot';
import { toError } from '@capi-serverless/reconciler';
import { UsageError } from './usage-error.ts';

/**
 * Returns `undefined` if the file does not exist. Throws UsageError with file and position if the file cannot be used.
 */
export async function readDataFile(file: string): Promise<StoreSnapshot | undefined> {
  let text: string;
  try {
    text = await readFile(file, 'utf8');
  } catch (thrown) {
    const error = toError(thrown);
    if ('code' in error && error.code === 'ENOENT') {
      return undefined;
    }
    throw new UsageError(`Data file ${file} cannot be read: ${error.message}`, { cause: thrown });
  }
  try {
    return parseSnapshot(parseJson(text));
  } catch (thrown) {
    throw toDataError(file, thrown);
  }
}

/**
 * The write is atomic, so that a crash leaves no partial file. Only the owner can read the file, because it may contain
 * Secrets.
 */
export async function writeDataFile(file: string, snapshot: StoreSnapshot): Promise<void> {
  const temporary = `${file}.new`;
  await writeFile(temporary, `${JSON.stringify(snapshot, undefined, 1)}\n`, { mode: 0o600 });
  await rename(temporary, file);
}

export function toDataError(file: string, thrown: unknown): UsageError {
  const remedy = 'name another file, or remove it to start empty';
  return new UsageError(`Data file ${file} cannot be used: ${toError(thrown).message}; ${remedy}`, { cause: thrown });
}

/** The error of the parser is dropped, because it quotes the text, which may contain Secrets. */
function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new Error('it is not JSON');
  }
}
