// The port to extension servers: one call of one handler. Adapters: client/ (node:https), test/support/fake-hooks.ts.
// One conformance suite: test/ports/hooks. Reconcilers call hooks through calls.ts.
import type { Instant } from '../api/object.ts';
import type { Fields, HookResponse } from './rules/hook.ts';

/** What one handler is sent, and where. */
export interface HookExchange {
  readonly hook: string;
  readonly version: string;
  /** https, with query. */
  readonly url: string;
  /** PEM; empty: the authorities that the platform knows. */
  readonly caBundle: string;
  readonly body: Fields;
  /** From the start of the connection until the answer is complete. */
  readonly timeoutSeconds: number;
}

export interface ExchangeLimits {
  readonly signal: AbortSignal;
  /** When the invocation must be done; nothing starts that may last longer. Absent: there is no such time. */
  readonly deadline?: Instant | undefined;
}

export type Exchanged =
  /** The decoded JSON of an answer with status code 200, at most as deep and as large as is safe to read. */
  | { readonly ok: true; readonly body: unknown }
  /**
   * `client`: the request could not even be made of what the ExtensionConfig says. `exchange`: no usable answer.
   * `time`: not enough time of this invocation was left, or it ended meanwhile; says nothing of the extension.
   */
  | { readonly ok: false; readonly why: 'client' | 'exchange' | 'time'; readonly error: string };

/** Responses that a process remembers for a while; losing them costs calls. */
export interface ResponseMemory {
  get(key: string): HookResponse | undefined;
  set(key: string, response: HookResponse): void;
}

export interface Hooks {
  /** Whether Services are reached by their names in DNS, or not at all. */
  readonly services: 'refuse' | 'dns';
  readonly memory: ResponseMemory;
  /** Never rejects. */
  exchange(exchange: HookExchange, limits: ExchangeLimits): Promise<Exchanged>;
}

/** What a reconciler is handed whose declaration names the port `hooks`. */
export interface HooksPort {
  readonly hooks: Hooks;
}
