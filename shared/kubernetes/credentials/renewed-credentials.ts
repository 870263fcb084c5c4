// Credentials that expire. They are loaded again before a request needs them.
import { isDeepStrictEqual } from 'node:util';
import type { Clock, Instant } from '@capi-serverless/apimachinery';
import type { Access, Credentials } from './credentials.ts';

interface Renewable extends Access {
  /** The time after which the credentials are loaded again before use. */
  readonly staleAt: Instant;
}

interface RenewedOptions {
  /** The wall clock is used, because a frozen process may resume long after its credentials expired. */
  readonly clock: Pick<Clock, 'now'>;
  readonly load: () => Promise<Renewable>;
}

/** After a failed load, the previous credentials are used for this time. */
const retryAfterMs = 10_000;

/** Loads once and rejects if this fails. Then loads again when the credentials are stale or were refused. */
export async function createRenewedCredentials(options: RenewedOptions): Promise<Credentials> {
  return new RenewedCredentials(options, await options.load());
}

class RenewedCredentials implements Credentials {
  readonly server: string;
  readonly #options: RenewedOptions;
  #loaded: Renewable;
  #pending: Promise<boolean> | undefined;

  constructor(options: RenewedOptions, first: Renewable) {
    this.server = first.endpoint.server;
    this.#options = options;
    this.#loaded = first;
  }

  async current(): Promise<Access> {
    if (this.#options.clock.now() >= this.#loaded.staleAt) {
      await this.refresh();
    }
    return this.#loaded;
  }

  /** Concurrent requests share one load. */
  refresh(): Promise<boolean> {
    this.#pending ??= this.#renew().finally(() => {
      this.#pending = undefined;
    });
    return this.#pending;
  }

  async #renew(): Promise<boolean> {
    const before = this.#loaded;
    try {
      const after = await this.#options.load();
      const endpoint = isDeepStrictEqual(before.endpoint, after.endpoint) ? before.endpoint : after.endpoint;
      this.#loaded = { ...after, endpoint };
    } catch {
      this.#loaded = { ...before, staleAt: this.#options.clock.now() + retryAfterMs };
    }
    return this.#loaded.endpoint !== before.endpoint || this.#loaded.authorization !== before.authorization;
  }
}
