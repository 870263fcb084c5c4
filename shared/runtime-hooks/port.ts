// The port to extension servers: one call of one handler. Adapters: client/ (node:https), test/support/fake-hooks.ts, tested
// by test/ports/hooks. Reconcilers call hooks through calls.ts.
import type { Instant, JsonObject } from '@capi-serverless/apimachinery';
import type { HookResponse } from './rules/hook.ts';

/** The request to one handler. */
export interface HookExchange {
  readonly hook: string;
  readonly version: string;
  /** The https URL with its query. */
  readonly url: string;
  /** The authorities as PEM. If empty, the authorities of the platform are used. */
  readonly caBundle: string;
  readonly body: JsonObject;
  /** The limit from the start of the connection until the answer is complete. */
  readonly timeoutSeconds: number;
}

export interface ExchangeLimits {
  readonly signal: AbortSignal;
  /** The end of the invocation. A call that may take longer does not start. If absent, there is no limit. */
  readonly deadline?: Instant | undefined;
}

export type Exchanged =
  /** The decoded JSON of an answer with status code 200, within the limits on depth and size. */
  | { readonly ok: true; readonly body: unknown }
  /**
   * `client`: the ExtensionConfig allows no valid request. `exchange`: there is no usable answer. `time`: the remaining
   * time of this invocation is too short, or the invocation ended. This is not a failure of the extension.
   */
  | { readonly ok: false; readonly why: 'client' | 'exchange' | 'time'; readonly error: string };

/** A response cache. The loss of the cache only causes additional calls. */
export interface ResponseMemory {
  get(key: string): HookResponse | undefined;
  set(key: string, response: HookResponse): void;
}

export interface Hooks {
  /** 'dns': Services are called by their DNS names. 'refuse': Services cannot be called. */
  readonly services: 'refuse' | 'dns';
  readonly memory: ResponseMemory;
  /** Never rejects. */
  exchange(exchange: HookExchange, limits: ExchangeLimits): Promise<Exchanged>;
}

/** The port of reconcilers whose declaration names `hooks`. */
export interface HooksPort {
  readonly hooks: Hooks;
}
