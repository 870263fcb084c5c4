// Counts the requests of users, from the audit log of the API server.
// https://kubernetes.io/docs/reference/config-api/apiserver-audit.v1/#audit-k8s-io-v1-Event
import { closeSync, openSync, readSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import * as z from 'zod/mini';

const eventSchema = z.object({
  stage: z.string(),
  verb: z.string(),
  user: z.object({ username: z.string() }),
  objectRef: z.optional(z.object({ resource: z.string(), subresource: z.optional(z.string()) })),
});

/** The number of requests by `verb resource`, for example `patch clusters/status`. */
export type RequestCounts = ReadonlyMap<string, number>;

/** Requests that do not depend on the work: watches, and leases. */
const notWork = { verb: 'watch', resource: 'leases' } as const;

const quietMs = 2_000;
const pollMs = 100;
const longestMs = 300_000;
const chunkBytes = 1 << 20;

export class RequestLog {
  readonly #file: number;
  readonly #users: readonly string[];
  #offset = 0;
  #rest = '';

  constructor(path: string, ...users: readonly string[]) {
    this.#file = openSync(path, 'r');
    this.#users = users;
  }

  /** Returns the requests of the users since the last call, without watches and leases. */
  read(): RequestCounts {
    const counts = new Map<string, number>();
    for (const line of this.#lines()) {
      const asked = toRequest(line, this.#users);
      if (asked !== undefined) {
        counts.set(asked, (counts.get(asked) ?? 0) + 1);
      }
    }
    return counts;
  }

  /** Waits until there was no request for two seconds. Returns the requests since the last call. */
  async readUntilQuiet(): Promise<RequestCounts> {
    const all = new Map<string, number>();
    const startedAt = performance.now();
    let lastAt = startedAt;
    while (performance.now() - lastAt < quietMs) {
      const counts = this.read();
      if (counts.size > 0) {
        lastAt = performance.now();
      }
      for (const [asked, count] of counts) {
        all.set(asked, (all.get(asked) ?? 0) + count);
      }
      if (lastAt - startedAt > longestMs) {
        throw new Error(`${this.#users.join(', ')} sent requests for ${longestMs / 1000} s without a pause`);
      }
      await delay(pollMs);
    }
    return all;
  }

  close(): void {
    closeSync(this.#file);
  }

  /** Returns the complete lines since the last call. */
  *#lines(): Generator<string> {
    const buffer = Buffer.alloc(chunkBytes);
    for (;;) {
      const bytes = readSync(this.#file, buffer, 0, chunkBytes, this.#offset);
      if (bytes === 0) {
        return;
      }
      this.#offset += bytes;
      const lines = (this.#rest + buffer.toString('latin1', 0, bytes)).split('\n');
      this.#rest = lines.pop() ?? '';
      yield* lines;
    }
  }
}

/** Returns `verb resource` of an answered request of one of the users. */
export function toRequest(line: string, users: readonly string[]): string | undefined {
  if (!users.some(user => line.includes(`"username":"${user}"`))) {
    return undefined;
  }
  const { stage, verb, user: by, objectRef } = eventSchema.parse(JSON.parse(line));
  const isAnswered = stage === 'ResponseComplete' && users.includes(by.username);
  if (!isAnswered || objectRef === undefined || verb === notWork.verb || objectRef.resource === notWork.resource) {
    return undefined;
  }
  const { resource, subresource } = objectRef;
  return `${verb} ${resource}${subresource === undefined ? '' : `/${subresource}`}`;
}
