// Credentials that come from elsewhere and grow stale: loaded again in time, before a request needs them.
import { isDeepStrictEqual } from 'node:util';
import type { Instant } from '../../api/object.ts';
import type { Clock } from '../../kernel/clock.ts';
import type { Access, Credentials } from './credentials.ts';

export interface Renewable extends Access {
  /** From then on it is loaded again before it is used. */
  readonly staleAt: Instant;
}

export interface RenewedOptions {
  /** The wall clock: a frozen process wakes up long after, and must notice. */
  readonly clock: Pick<Clock, 'now'>;
  readonly load: () => Promise<Renewable>;
}

/** After a load that failed, what was loaded before serves this much longer. */
const retryAfterMs = 10_000;

/** Loads once (a failure rejects), then again when it is stale or was refused. */
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

  /** Requests that meet here share one load. */
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
