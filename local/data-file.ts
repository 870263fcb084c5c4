// Stores the objects of the embedded API server in a file: reads it at start, and writes it while the server runs.
import { readFile, rename, rm, writeFile } from 'node:fs/promises';
import type { Clock } from '@capi-serverless/apimachinery';
import type { ApiCore } from '@capi-serverless/apiserver/core';
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

/** Throws UsageError if the file cannot be written, so that a run does not lose at its end what it was to save. */
export async function checkWritable(file: string): Promise<void> {
  try {
    await writeFile(temporaryOf(file), '', { mode: 0o600 });
    await rm(temporaryOf(file));
  } catch (thrown) {
    throw toWriteError(file, thrown);
  }
}

interface Saving {
  readonly file: string;
  readonly core: Pick<ApiCore, 'resourceVersion' | 'snapshot'>;
  readonly clock: Clock;
  /** Called once for several failures in a row. */
  readonly onFailure: (message: string) => void;
}

/** The maximum age of a change that a killed process loses. */
const saveEveryMs = 5_000;

/** Saves the objects every few seconds if one was changed. `stop` saves a last time. It throws UsageError. */
export function keepSaved({ file, core, clock, onFailure }: Saving): { stop(): Promise<void> } {
  const stopping = new AbortController();
  let savedVersion = core.resourceVersion();
  let isFailing = false;
  const saveChanges = async (): Promise<void> => {
    const version = core.resourceVersion();
    if (version === savedVersion) {
      return;
    }
    try {
      await writeDataFile(file, core.snapshot());
      savedVersion = version;
      isFailing = false;
    } catch (thrown) {
      if (!isFailing) {
        onFailure(toWriteError(file, thrown).message);
      }
      isFailing = true;
    }
  };
  const repeat = async (): Promise<void> => {
    while (!stopping.signal.aborted) {
      await clock.sleep(saveEveryMs, stopping.signal);
      await saveChanges();
    }
  };
  const ended = repeat();
  return {
    async stop() {
      stopping.abort();
      await ended;
      await writeDataFile(file, core.snapshot()).catch(thrown => {
        throw toWriteError(file, thrown);
      });
    },
  };
}

/**
 * The write is atomic, so that a crash leaves no partial file. Only the owner can read the file, because it may contain
 * Secrets.
 */
async function writeDataFile(file: string, snapshot: StoreSnapshot): Promise<void> {
  await writeFile(temporaryOf(file), `${JSON.stringify(snapshot, undefined, 1)}\n`, { mode: 0o600 });
  await rename(temporaryOf(file), file);
}

const temporaryOf = (file: string): string => `${file}.new`;

function toWriteError(file: string, thrown: unknown): UsageError {
  const remedy = 'make its folder, or name another file';
  return new UsageError(`Data file ${file} cannot be written: ${toError(thrown).message}; ${remedy}`, {
    cause: thrown,
  });
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
