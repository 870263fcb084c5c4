// Credentials that live in files: read again when a file changes, so that rotated tokens and certificates are picked up.
import { stat } from 'node:fs/promises';
import { isDeepStrictEqual } from 'node:util';
import type { Access, Credentials, Endpoint } from './credentials.ts';

export interface Loaded {
  readonly endpoint: Endpoint;
  readonly authorization: string | undefined;
  /** Every file that was read for it. */
  readonly files: readonly string[];
}

/** Files are looked at no more often than this. */
const checkEveryMs = 1000;

/** Loads once (a failure rejects), then again whenever one of the files changed. */
export async function createFileCredentials(load: () => Promise<Loaded>): Promise<Credentials> {
  return new FileCredentials(load, await load());
}

class FileCredentials implements Credentials {
  readonly server: string;
  readonly #load: () => Promise<Loaded>;
  #loaded: Loaded;
  /** Stands for the files as they were just before they were read; empty when that is not known. */
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

  /** Reads the files whether or not they look changed: the server has just refused what they held. */
  refresh(): Promise<boolean> {
    return this.#once(async () => this.#reload(await signatureOf(this.#loaded.files)));
  }

  /** Requests that meet here share one look at the files. */
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
      // Half written or gone for a moment: the old credentials serve until the next look.
      return false;
    }
    const endpoint = isDeepStrictEqual(before.endpoint, after.endpoint) ? before.endpoint : after.endpoint;
    this.#loaded = { ...after, endpoint };
    this.#signature = isDeepStrictEqual(before.files, after.files) ? signature : '';
    return endpoint !== before.endpoint || after.authorization !== before.authorization;
  }
}

/** Size and inode too: a rotation may swap symbolic links between files of the same age. */
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
