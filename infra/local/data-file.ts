// The objects of the embedded API server in a file: read when it starts, written when it stops.
import { readFile, rename, writeFile } from 'node:fs/promises';
import { toError } from '../../shared/kernel/errors.ts';
import { parseSnapshot } from './apiserver/core/parse-snapshot.ts';
import type { Snapshot } from './apiserver/core/snapshot.ts';
import { UsageError } from './options.ts';

/** `undefined` when there is no such file yet. Throws UsageError that names file and place when it cannot be used. */
export async function readDataFile(file: string): Promise<Snapshot | undefined> {
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

/** In one step, so that no crash leaves half a file; readable by its owner alone, because it may hold Secrets. */
export async function writeDataFile(file: string, snapshot: Snapshot): Promise<void> {
  const temporary = `${file}.new`;
  await writeFile(temporary, `${JSON.stringify(snapshot, undefined, 1)}\n`, { mode: 0o600 });
  await rename(temporary, file);
}

export function toDataError(file: string, thrown: unknown): UsageError {
  const remedy = 'name another file, or remove it to start empty';
  return new UsageError(`Data file ${file} cannot be used: ${toError(thrown).message}; ${remedy}`, { cause: thrown });
}

/** The parser's own error is left out: it quotes the text, which may hold Secrets. */
function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new Error('it is not JSON');
  }
}
