// The Kubernetes port of one process: the memory adapter with network latency and faults.

import {
  type Answer,
  type Kubernetes,
  type ListedPage,
  type ListQuery,
  type ObjectMeta,
  type ObjectRef,
  type Parser,
  refused,
  toDisplayName,
  type Unstructured,
} from '@capi-serverless/apimachinery';
import { parseObject } from '../../../shared/kubernetes/rest/bodies.ts';
import type { Refusal } from '../engine/faults.ts';
import type { SimulatedProcess } from '../engine/process.ts';
import type { Random } from '../engine/random.ts';
import { toApiFailure } from './api-failure.ts';
import { type WatchNetwork, watchOver } from './watch.ts';

interface KubernetesNetwork extends WatchNetwork {
  readonly process: SimulatedProcess;
  readonly random: Random;
  /** The API server itself. Requests to it take effect immediately. */
  readonly server: Kubernetes;
  /** The most objects of a page. */
  readonly largestPage: number;
  /** Called when a request takes effect. */
  readonly onServed: (request: ServedRequest) => void;
  /** Called with the response as the process received it. */
  readonly onAnswered: (request: ServedRequest, answer: Answer<unknown>) => void;
}

export interface ServedRequest {
  readonly process: SimulatedProcess;
  readonly verb: Verb;
  readonly of: ObjectRef | ListQuery;
  readonly subresource: string | undefined;
}

type Verb = 'get' | 'metadata' | 'list' | 'page' | 'dryRun' | 'create' | 'patch' | 'jsonPatch' | 'apply' | 'delete';

const writes: ReadonlySet<Verb> = new Set(['create', 'patch', 'jsonPatch', 'apply', 'delete']);

/** The REST client's limit for one request. */
const requestTimeoutMs = 60_000;

export function connect(network: KubernetesNetwork, signal?: AbortSignal): Kubernetes {
  const { server } = network;
  const ask = <T>(asked: Asked, perform: () => Promise<Answer<T>>): Promise<Answer<T>> =>
    send<T>(network, { ...asked, signal }, perform);
  return {
    ...reads(server, ask),
    create: (object, options) =>
      ask({ verb: 'create', of: { ...object, ...object.metadata } }, () => server.create(object, options)),
    mergePatch: (of, body, options = {}) =>
      ask({ verb: 'patch', of, subresource: options.subresource }, () => server.mergePatch(of, body, options)),
    jsonPatch: (of, body, options = {}) =>
      ask({ verb: 'jsonPatch', of, subresource: options.subresource }, () => server.jsonPatch(of, body, options)),
    apply: (object, options) =>
      ask({ verb: 'apply', of: { ...object, ...object.metadata } }, () => server.apply(object, options)),
    delete: (of, options) => ask({ verb: 'delete', of }, () => server.delete(of, options)),
    dryRun: {
      apply: (object, options) =>
        ask({ verb: 'dryRun', of: { ...object, ...object.metadata } }, () => server.dryRun.apply(object, options)),
    },
    watches: {
      page: (query, options) => page(network, query, options),
      watch: (query, options) => watchOver(network, query, options),
    },
    within: other => connect(network, signal === undefined ? other : AbortSignal.any([signal, other])),
  };
}

interface Asked {
  readonly verb: Verb;
  readonly of: ObjectRef | ListQuery;
  readonly subresource?: string | undefined;
}

type Ask = <T>(asked: Asked, perform: () => Promise<Answer<T>>) => Promise<Answer<T>>;

function reads(server: Kubernetes, ask: Ask): Pick<Kubernetes, 'get' | 'metadata' | 'list'> {
  async function get(ref: ObjectRef): Promise<Answer<Unstructured>>;
  async function get<T>(ref: ObjectRef, parse: Parser<T>): Promise<Answer<T>>;
  async function get<T>(of: ObjectRef, parse?: Parser<T>): Promise<Answer<Unstructured | T>> {
    const answer = await ask<Unstructured>({ verb: 'get', of }, () => server.get(of));
    return answer.ok && parse !== undefined ? parseObject(answer.value, parse) : answer;
  }
  async function list(query: ListQuery): Promise<Answer<readonly Unstructured[]>>;
  async function list<T>(query: ListQuery, parse: Parser<T>): Promise<Answer<readonly T[]>>;
  async function list<T>(of: ListQuery, parse?: Parser<T>): Promise<Answer<readonly (Unstructured | T)[]>> {
    return ask<readonly (Unstructured | T)[]>({ verb: 'list', of }, () =>
      parse === undefined ? server.list(of) : server.list(of, parse),
    );
  }
  return { get, list, metadata: of => ask<ObjectMeta>({ verb: 'metadata', of }, () => server.metadata(of)) };
}

/**
 * The usual most objects of a page: a page has one to three, so that changes occur between pages. A run with many
 * objects needs larger pages, because the time of small ones is quadratic.
 */
export const usualLargestPage = 3;

function page(
  network: KubernetesNetwork,
  of: Parameters<Kubernetes['watches']['page']>[0],
  options: Parameters<Kubernetes['watches']['page']>[1],
): Promise<Answer<ListedPage>> {
  const limit = 1 + network.random.below(network.largestPage);
  return send<ListedPage>(network, { verb: 'page', of, signal: options.signal }, () =>
    network.server.watches.page(of, { ...options, limit }),
  );
}

async function send<T>(
  { process, onServed, onAnswered }: KubernetesNetwork,
  asked: Asked & { readonly signal: AbortSignal | undefined },
  perform: () => Promise<Answer<T>>,
): Promise<Answer<T>> {
  const { verb, of, subresource, signal } = asked;
  const isWrite = writes.has(verb);
  const label = toLabel(asked);
  const request = { process, verb, of, subresource };
  const answer = await process.request<Answer<T>>({
    port: 'kubernetes',
    label,
    isWrite,
    signal,
    timeoutMs: requestTimeoutMs,
    perform() {
      onServed(request);
      return perform();
    },
    refused: (as: Refusal | 'aborted') => refused<T>(toApiFailure(as, { label, isWrite })),
  });
  onAnswered(request, answer);
  return answer;
}

function toLabel({ verb, of, subresource }: Asked): string {
  const name = 'name' in of ? toDisplayName(of) : (of.namespace ?? '');
  return [verb, of.kind, name, subresource].filter(part => part !== undefined && part !== '').join(' ');
}
