// One request of the memory adapter: what it is about, the facts about it, and its answer as data.
import { type Answer, answered, refused } from '../../../shared/api/answer.ts';
import { groupOf } from '../../../shared/api/object.ts';
import type { Clock } from '../../../shared/kernel/clock.ts';
import { type Asked, toLostFailure } from '../../../shared/kubernetes/rest/failures.ts';
import { problemOf, type Target, toLabel } from '../../../shared/kubernetes/rest/urls.ts';
import { pluralOf } from '../../../shared/names/plural.ts';
import { type RequestFact, requestSent, requests } from '../../../shared/telemetry/channels.ts';
import type { ApiCore } from './core/api-core.ts';
import type { Endpoint } from './core/kinds.ts';
import { failureOf } from './memory-failure.ts';

export interface Adapter {
  readonly core: ApiCore;
  readonly clock: Pick<Clock, 'sleep'> | undefined;
  readonly signal: AbortSignal | undefined;
  readonly client: string;
}

export interface Call {
  readonly verb: 'get' | 'list' | 'watch' | 'create' | 'patch' | 'apply' | 'delete';
  readonly target: Target;
  readonly dryRun?: boolean;
}

const reads: ReadonlySet<Call['verb']> = new Set(['get', 'list', 'watch']);

/** The same adapter whose requests are not sent any more once `other` has aborted. */
export function within(adapter: Adapter, other: AbortSignal): Adapter & { readonly signal: AbortSignal } {
  const signal = adapter.signal === undefined ? other : AbortSignal.any([adapter.signal, other]);
  return { ...adapter, signal };
}

export function toAsked({ verb, target }: Call): Asked {
  const isSecret = target.kind === 'Secret' && target.apiVersion === 'v1';
  return { label: toLabel(verb, target), isWrite: !reads.has(verb), isSecret };
}

/** Performs one request, publishes the facts about it and turns a refusal into data. */
export function request<T>(adapter: Adapter, call: Call, perform: (endpoint: Endpoint) => T): Answer<T> {
  const asked = toAsked(call);
  const { apiVersion, kind } = call.target;
  const problem = problemOf(call.target);
  if (problem !== undefined) {
    return refused({ reason: 'BadRequest', message: `${asked.label}: ${problem}` });
  }
  if (adapter.signal?.aborted === true) {
    return refused(toLostFailure({ why: 'aborted', sent: false, message: 'aborted before it was sent' }, asked));
  }
  const done = publishSent(adapter, call);
  try {
    const value = perform(adapter.core.registry.endpointOfKind(apiVersion, kind));
    done(call.verb === 'create' ? 201 : 200);
    return answered(value);
  } catch (error) {
    const failure = failureOf(error, asked);
    done(failure.code ?? 0);
    return refused(failure);
  }
}

const silent = (): void => {};

/** Publishes that a request was sent; the returned function publishes the fact with the code of its answer. */
export function publishSent(adapter: Adapter, call: Call): (code: number) => void {
  if (!requestSent.hasSubscribers && !requests.hasSubscribers) {
    return silent;
  }
  const startedAt = performance.now();
  const subject = { ...toSubject(call), startedAt, client: adapter.client };
  requestSent.publish(subject);
  return code => requests.publish({ ...subject, code, endedAt: performance.now() } satisfies RequestFact);
}

function toSubject({ verb, target, dryRun = false }: Call) {
  const { apiVersion, kind, namespace, name, subresource } = target;
  return {
    verb,
    group: groupOf(apiVersion),
    resource: `${pluralOf(kind)}${subresource === undefined ? '' : `/${subresource}`}`,
    ...(namespace === undefined ? {} : { namespace }),
    ...(name === undefined ? {} : { name }),
    dryRun,
  };
}
