// The REST adapter of the Kubernetes port, on kept-alive connections.

import type { Kubernetes, Watches } from '@capi-serverless/apimachinery';
import type { Credentials } from '../credentials/credentials.ts';
import { type ConnectionLimits, defaultLimits } from './connection.ts';
import { type DryRunWrites, RestObjects } from './objects.ts';
import { Requester } from './requester.ts';
import { userAgent } from './version.ts';
import { watch } from './watch.ts';

interface KubernetesOptions {
  readonly credentials: Credentials;
  /** The name of the sender in request facts. It is the name of the function. */
  readonly client: string;
  readonly userAgent?: string;
  readonly limits?: Partial<ConnectionLimits>;
}

/** A client that also sends the writes of `kubectl apply` as dry runs. */
export interface RestClient extends Kubernetes {
  readonly dryRun: DryRunWrites;
}

/** Opens connections on demand and keeps them alive. They do not keep the process running. */
export function createKubernetes(options: KubernetesOptions): RestClient {
  const limits = { ...defaultLimits, ...options.limits };
  const { credentials, client } = options;
  const requester = new Requester({ credentials, client, userAgent: options.userAgent ?? userAgent, limits });
  return new RestKubernetes(requester, { maxEventBytes: limits.maxAnswerBytes });
}

interface Scope {
  readonly maxEventBytes: number;
  readonly signal?: AbortSignal;
}

class RestKubernetes extends RestObjects implements Kubernetes {
  readonly watches: Watches;
  readonly #requester: Requester;
  readonly #scope: Scope;

  constructor(requester: Requester, scope: Scope) {
    super((call, signal) => requester.send(call, either(scope.signal, signal)));
    this.#requester = requester;
    this.#scope = scope;
    this.watches = {
      page: (query, options) => this.page(query, options),
      watch: (query, options) =>
        watch(requester, query, {
          ...options,
          signal: either(scope.signal, options.signal) ?? options.signal,
          maxEventBytes: scope.maxEventBytes,
        }),
    };
  }

  within(signal: AbortSignal): Kubernetes {
    return new RestKubernetes(this.#requester, {
      ...this.#scope,
      signal: either(this.#scope.signal, signal) ?? signal,
    });
  }
}

function either(own: AbortSignal | undefined, signal: AbortSignal | undefined): AbortSignal | undefined {
  return own === undefined || signal === undefined ? (own ?? signal) : AbortSignal.any([own, signal]);
}
