// In-memory extension servers for reconciler tests and the simulation. They pass the same conformance suite as the
// client.
import type { Clock } from '@capi-serverless/apimachinery';
import { createResponseMemory } from '../../shared/runtime-hooks/memory.ts';
import type { Exchanged, HookExchange, Hooks } from '../../shared/runtime-hooks/port.ts';
import { endedMeanwhile, shortageOfTime } from '../../shared/runtime-hooks/time-left.ts';
import { SteppedClock, settled } from './stepped-clock.ts';

export type FakeAnswer =
  /** Status code 200 and this JSON. */
  | { readonly body: unknown }
  /** Another status code. */
  | { readonly status: number; readonly text?: string }
  /** The connection fails. */
  | { readonly unreachable: string }
  /** The server never answers. */
  | { readonly silent: true };

export type FakeHandler = FakeAnswer | ((request: HookExchange['body']) => FakeAnswer);

/** The extension servers by URL. */
export interface FakeExtensions {
  /**
   * Sets the answer of the server at this address. `path` is the part of the URL after the version: `discovery`, or
   * `beforeclustercreate/first`.
   */
  answer(url: string, path: string, handler: FakeHandler): void;
  respond(exchange: HookExchange): FakeAnswer;
}

export function fakeExtensions(): FakeExtensions {
  const servers = new Map<string, Map<string, FakeHandler>>();
  return {
    answer(url, path, handler) {
      const server = servers.get(url) ?? new Map<string, FakeHandler>();
      servers.set(url, server.set(path, handler));
    },
    respond({ url, body }) {
      const [base = '', path = ''] = url.split(/\/hooks\.runtime\.cluster\.x-k8s\.io\/v1alpha1\/|\?/);
      const server = servers.get(base);
      if (server === undefined) {
        return { unreachable: 'connection refused' };
      }
      const handler = server.get(path) ?? { status: 404, text: 'no such handler' };
      return typeof handler === 'function' ? handler(body) : handler;
    },
  };
}

export interface FakeHooks extends Hooks, Pick<FakeExtensions, 'answer'> {
  /** Resolves when a call to a server that does not answer is in progress. */
  underWay(): Promise<void>;
  /** Every exchange that was started, in order. */
  readonly calls: readonly HookExchange[];
}

/** There is no server, so every connection is refused. */
export function fakeHooks(options: { readonly clock?: Clock; readonly services?: Hooks['services'] } = {}): FakeHooks {
  const { clock = new SteppedClock(), services = 'refuse' } = options;
  const calls: HookExchange[] = [];
  let answered = 0;
  const extensions = fakeExtensions();
  return {
    services,
    memory: createResponseMemory(clock),
    calls,
    answer: extensions.answer,
    underWay: async () => {
      while (calls.length === answered) {
        await settled();
      }
    },
    async exchange(exchange, { signal, deadline }) {
      await settled();
      const shortage = shortageOfTime(exchange, { now: clock.now(), deadline });
      if (shortage !== undefined || signal.aborted) {
        return { ok: false, why: 'time', error: shortage ?? endedMeanwhile };
      }
      calls.push(exchange);
      const answer = extensions.respond(exchange);
      if ('silent' in answer) {
        await clock.sleep(exchange.timeoutSeconds * 1000, signal);
      }
      answered += 1;
      return signal.aborted ? { ok: false, why: 'time', error: endedMeanwhile } : toExchanged(exchange, answer);
    },
  };
}

/** Returns the client's result for this answer. */
export function toExchanged(exchange: HookExchange, answer: FakeAnswer): Exchanged {
  return 'body' in answer
    ? { ok: true, body: structuredClone(answer.body) }
    : { ok: false, why: 'exchange', error: `http call failed: ${toProblem(exchange, answer)}` };
}

function toProblem({ url }: HookExchange, answer: Exclude<FakeAnswer, { readonly body: unknown }>): string {
  if ('status' in answer) {
    return `got response with status code ${answer.status} != 200: response : ${JSON.stringify(answer.text ?? '')}`;
  }
  return `Post "${url}": ${'silent' in answer ? 'http request timeout expired' : answer.unreachable}`;
}
