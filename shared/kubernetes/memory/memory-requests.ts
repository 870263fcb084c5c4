// One request of the memory adapter: its subject, its request fact, and its answer as data.

import {
  type Answer,
  answered,
  type Clock,
  groupOf,
  pluralOf,
  refused,
  withoutUndefined,
} from '@capi-serverless/apimachinery';
import type { ApiCore, ResourceEndpoint } from '@capi-serverless/apiserver/core';
import { type RequestFact, requestSent, requests } from '../../diagnostics/channels.ts';
import { type RequestSummary, toLostFailure } from '../rest/failures.ts';
import { problemOf, type RequestTarget, toLabel } from '../rest/urls.ts';
import { failureOf } from './memory-failure.ts';

export interface Adapter {
  readonly core: ApiCore;
  readonly clock: Pick<Clock, 'sleep'> | undefined;
  readonly signal: AbortSignal | undefined;
  readonly client: string;
}

export interface MemoryCall {
  readonly verb: 'get' | 'list' | 'watch' | 'create' | 'patch' | 'apply' | 'delete';
  readonly target: RequestTarget;
  readonly dryRun?: boolean;
}

const reads: ReadonlySet<MemoryCall['verb']> = new Set(['get', 'list', 'watch']);

/** Returns the same adapter, which sends no more requests after `other` has aborted. */
export function within(adapter: Adapter, other: AbortSignal): Adapter & { readonly signal: AbortSignal } {
  const signal = adapter.signal === undefined ? other : AbortSignal.any([adapter.signal, other]);
  return { ...adapter, signal };
}

export function toSummary({ verb, target }: MemoryCall): RequestSummary {
  const isSecret = target.kind === 'Secret' && target.apiVersion === 'v1';
  return { label: toLabel(verb, target), isWrite: !reads.has(verb), isSecret };
}

/** Performs one request, publishes its fact and returns refusals as data. */
export function request<T>(adapter: Adapter, call: MemoryCall, perform: (endpoint: ResourceEndpoint) => T): Answer<T> {
  const summary = toSummary(call);
  const { apiVersion, kind } = call.target;
  const problem = problemOf(call.target);
  if (problem !== undefined) {
    return refused({ reason: 'BadRequest', message: `${summary.label}: ${problem}` });
  }
  if (adapter.signal?.aborted === true) {
    return refused(toLostFailure({ why: 'aborted', sent: false, message: 'aborted before it was sent' }, summary));
  }
  const done = publishSent(adapter, call);
  try {
    const value = perform(adapter.core.registry.endpointOfKind(apiVersion, kind));
    done(call.verb === 'create' ? 201 : 200);
    return answered(value);
  } catch (error) {
    const failure = failureOf(error, summary);
    done(failure.code ?? 0);
    return refused(failure);
  }
}

const silent = (): void => {};

/** Publishes that a request was sent. The returned function publishes its fact with the status code. */
export function publishSent(adapter: Adapter, call: MemoryCall): (code: number) => void {
  if (!requestSent.hasSubscribers && !requests.hasSubscribers) {
    return silent;
  }
  const startedAt = performance.now();
  const subject = { ...toSubject(call), startedAt, client: adapter.client };
  requestSent.publish(subject);
  return code => requests.publish({ ...subject, code, endedAt: performance.now() } satisfies RequestFact);
}

function toSubject({ verb, target, dryRun = false }: MemoryCall) {
  const { apiVersion, kind, namespace, name, subresource } = target;
  return {
    verb,
    group: groupOf(apiVersion),
    resource: `${pluralOf(kind)}${subresource === undefined ? '' : `/${subresource}`}`,
    ...withoutUndefined({ namespace, name }),
    dryRun,
  };
}
