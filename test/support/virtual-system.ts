// The whole event path in virtual time on the memory API. Requests and sends take time, and the API server has limited
// concurrency.

import type { Clock, Kubernetes } from '@capi-serverless/apimachinery';
import { type EventPath, type EventPathOptions, startEventPath } from './event-path.ts';
import { createMemoryApi, type MemoryApi, type MemoryApiOptions } from './memory-api.ts';

interface VirtualSystemOptions extends Omit<MemoryApiOptions, 'clock'>, Omit<EventPathOptions, 'clock' | 'kubernetes'> {
  /** The duration of one request to the API server, which processes `requestSlots` requests at the same time. */
  readonly requestMs: number;
  readonly requestSlots: number;
}

export interface VirtualSystem extends Omit<EventPath, 'isBusy'> {
  readonly api: MemoryApi;
  /** Advances time until no message is in flight except timers. Throws if this takes longer than `limitMs`. */
  drain(limitMs: number): Promise<void>;
}

/** Creates all components. Nothing runs until time is stepped. */
export function startVirtualSystem(options: VirtualSystemOptions): VirtualSystem {
  const api = createMemoryApi(options);
  const { clock } = api;
  const kubernetes = slowed(api.others, { clock, slots: options.requestSlots, ms: options.requestMs });
  const { isBusy, ...eventPath } = startEventPath({ ...options, clock, kubernetes: () => kubernetes });
  return {
    api,
    ...eventPath,
    async drain(limitMs) {
      const deadline = clock.now() + limitMs;
      do {
        await clock.advance(stepMs);
        if (clock.now() > deadline) {
          throw new Error(`The queues were not empty after ${limitMs} ms of virtual time`);
        }
      } while (isBusy());
    },
  };
}

const stepMs = 100;

/** Returns the same client for a server that processes `slots` requests at the same time, each in `ms`. */
function slowed(
  client: Kubernetes,
  server: { readonly clock: Clock; readonly slots: number; readonly ms: number },
): Kubernetes {
  const freeAt = Array.from({ length: server.slots }, () => 0);
  const turn = async (): Promise<void> => {
    const now = server.clock.now();
    const slot = freeAt.indexOf(Math.min(...freeAt));
    const end = Math.max(now, freeAt[slot] ?? 0) + server.ms;
    freeAt[slot] = end;
    await server.clock.sleep(end - now);
  };
  const wrap = (inner: Kubernetes): Kubernetes =>
    new Proxy(inner, {
      get(target, name, receiver) {
        const member: unknown = Reflect.get(target, name, receiver);
        if (name === 'within') {
          return (signal: AbortSignal) => wrap(target.within(signal));
        }
        if (typeof member !== 'function') {
          return member;
        }
        return async (...args: readonly unknown[]) => {
          await turn();
          return Reflect.apply(member, target, args);
        };
      },
    });
  return wrap(client);
}
