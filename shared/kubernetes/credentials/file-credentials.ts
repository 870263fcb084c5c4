// Credentials in files. The files are read again after a change, so that rotated tokens and certificates take effect.
import { stat } from 'node:fs/promises';
import { isDeepStrictEqual } from 'node:util';
import type { Access, ApiServerEndpoint, Credentials } from './credentials.ts';

export interface Loaded {
  readonly endpoint: ApiServerEndpoint;
  readonly authorization: string | undefined;
  /** All files that were read. */
  readonly files: readonly string[];
}

/** The minimum time between two checks of the files. */
const checkEveryMs = 1000;

/** Loads the files once and rejects if this fails. Then loads them again after each change of a file. */
export async function createFileCredentials(load: () => Promise<Loaded>): Promise<Credentials> {
  return new FileCredentials(load, await load());
}

class FileCredentials implements Credentials {
  readonly server: string;
  readonly #load: () => Promise<Loaded>;
  #loaded: Loaded;
  /** The state of the files immediately before they were read. Empty if unknown. */
  #signature = '';
  #checkedAt = performance.now();
  #pending: Promise<boolean> | undefined;

  constructor(load: () => Promise<Loaded>, first: Loaded) {
    this.server = first.endpoint.server;
    this.#load = load;
    this.#loaded = first;
  }

  async current(): Promise<Access> {
    if (performance.now() - this.#checkedAt >= checkEveryMs) {
      await this.#once(() => this.#reloadIfChanged());
    }
    return this.#loaded;
  }

  /** Reads the files even if they seem unchanged, because the server has refused their content. */
  refresh(): Promise<boolean> {
    return this.#once(async () => this.#reload(await signatureOf(this.#loaded.files)));
  }

  /** Concurrent requests share one check of the files. */
  #once(look: () => Promise<boolean>): Promise<boolean> {
    this.#pending ??= look().finally(() => {
      this.#pending = undefined;
      this.#checkedAt = performance.now();
    });
    return this.#pending;
  }

  async #reloadIfChanged(): Promise<boolean> {
    const signature = await signatureOf(this.#loaded.files);
    return signature === this.#signature ? false : this.#reload(signature);
  }

  async #reload(signature: string): Promise<boolean> {
    const before = this.#loaded;
    let after: Loaded;
    try {
      after = await this.#load();
    } catch {
      // The file is temporarily incomplete or absent. The old credentials are used until the next read.
      return false;
    }
    const endpoint = isDeepStrictEqual(before.endpoint, after.endpoint) ? before.endpoint : after.endpoint;
    this.#loaded = { ...after, endpoint };
    this.#signature = isDeepStrictEqual(before.files, after.files) ? signature : '';
    return endpoint !== before.endpoint || after.authorization !== before.authorization;
  }
}

/** Size and inode are compared too, because a rotation may swap symbolic links between files of the same age. */
async function signatureOf(files: readonly string[]): Promise<string> {
  const parts = await Promise.all(
    files.map(async file => {
      try {
        const { mtimeMs, size, ino } = await stat(file);
        return `${mtimeMs}/${size}/${ino}`;
      } catch {
        return 'missing';
      }
    }),
  );
  return parts.join(' ');
}
