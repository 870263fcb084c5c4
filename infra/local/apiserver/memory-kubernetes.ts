// The memory adapter of the Kubernetes port: the same answers as the REST adapter gives, straight from the core.
import { type Answer, answered, refused } from '../../../shared/api/answer.ts';
import {
  groupOf,
  type Intent,
  type ListQuery,
  type ObjectMeta,
  type ObjectRef,
  type Parser,
  toDisplayName,
  type Unstructured,
} from '../../../shared/api/object.ts';
import type { Clock } from '../../../shared/kernel/clock.ts';
import type { Kubernetes, PatchOptions, Watches, WatchQuery } from '../../../shared/kubernetes/port.ts';
import { pluralOf } from '../../../shared/names/plural.ts';
import type { ApiCore } from './core/api-core.ts';
import { isObject } from './core/json.ts';
import type { Address, Endpoint } from './core/kinds.ts';
import { hasLabels, type Selection } from './core/selection.ts';
import { NoSuchRouteError, unsupportedMediaType } from './core/status.ts';
import type { Patch } from './core/update.ts';
import { toFailure } from './memory-failure.ts';
import { createRequestReporter, type RequestReporter, type RequestSubject } from './memory-requests.ts';
import { endsAfter, watchMemory } from './memory-watch.ts';

export interface MemoryKubernetesOptions {
  /** Named as the sender in request facts. */
  readonly client?: string;
  /** Ends watches after their `timeoutSeconds`; without a clock they go on until they are aborted. */
  readonly clock?: Pick<Clock, 'sleep'>;
}

interface Adapter {
  readonly core: ApiCore;
  readonly clock: Pick<Clock, 'sleep'> | undefined;
  readonly signal: AbortSignal | undefined;
  readonly report: RequestReporter;
}

/** A client of this core. A request takes effect when it is made; its answer comes in a later microtask. */
export function createMemoryKubernetes(core: ApiCore, options: MemoryKubernetesOptions = {}): Kubernetes {
  const report = createRequestReporter(options.client ?? 'memory');
  return connect({ core, clock: options.clock, signal: undefined, report });
}

function connect(adapter: Adapter): Kubernetes {
  const { core } = adapter;
  return {
    ...createReads(adapter),
    ...createWrites(adapter),
    dryRun: { apply: object => apply(adapter, object, true) },
    watches: {
      page: async (query, options) =>
        request(within(adapter, options.signal), { verb: 'list', of: query }, endpoint => {
          const from = options.continue === undefined ? {} : { continue: options.continue };
          const page = core.list(endpoint, { ...toSelection(endpoint, query), limit: options.limit, ...from });
          const items = query.as === 'metadata' ? page.items.map(toPartial) : page.items;
          const more = page.continue === undefined ? {} : { continue: page.continue };
          return { items, resourceVersion: page.resourceVersion, ...more };
        }),
      watch: (query, options) => watch(within(adapter, options.signal), query, options),
    },
    within: other => connect(within(adapter, other)),
  };
}

function within(adapter: Adapter, other: AbortSignal): Adapter & { readonly signal: AbortSignal } {
  const signal = adapter.signal === undefined ? other : AbortSignal.any([adapter.signal, other]);
  return { ...adapter, signal };
}

function createReads(adapter: Adapter): Pick<Kubernetes, 'get' | 'metadata' | 'list'> {
  const { core } = adapter;
  async function get(ref: ObjectRef): Promise<Answer<Unstructured>>;
  async function get<T>(ref: ObjectRef, parse: Parser<T>): Promise<Answer<T>>;
  async function get<T>(ref: ObjectRef, parse?: Parser<T>): Promise<Answer<Unstructured | T>> {
    const answer = request<Unstructured>(adapter, { verb: 'get', of: ref }, endpoint =>
      core.get(toAddress(endpoint, ref)),
    );
    return parse === undefined ? answer : parsed(answer, parse);
  }
  async function list(query: ListQuery): Promise<Answer<readonly Unstructured[]>>;
  async function list<T>(query: ListQuery, parse: Parser<T>): Promise<Answer<readonly T[]>>;
  async function list<T>(query: ListQuery, parse?: Parser<T>): Promise<Answer<readonly (Unstructured | T)[]>> {
    const answer = request<readonly Unstructured[]>(
      adapter,
      { verb: 'list', of: query },
      endpoint => core.list(endpoint, toSelection(endpoint, query)).items,
    );
    return parse === undefined ? answer : parsedAll(answer, parse);
  }
  return {
    get,
    list,
    metadata: async ref =>
      request<ObjectMeta>(adapter, { verb: 'get', of: ref }, endpoint => core.get(toAddress(endpoint, ref)).metadata),
  };
}

/** The value through the parser; a parser that throws is a failure that names the object. */
function parsed<T>(answer: Answer<Unstructured>, parse: Parser<T>): Answer<T> {
  if (!answer.ok) {
    return answer;
  }
  try {
    return answered(parse(answer.value));
  } catch (error) {
    const problem = error instanceof Error ? error.message : String(error);
    const { kind, metadata } = answer.value;
    return refused({ reason: 'Unparsable', message: `Reading ${kind} ${toDisplayName(metadata)}: ${problem}` });
  }
}

function parsedAll<T>(answer: Answer<readonly Unstructured[]>, parse: Parser<T>): Answer<readonly T[]> {
  if (!answer.ok) {
    return answer;
  }
  const values: T[] = [];
  for (const item of answer.value) {
    const value = parsed(answered(item), parse);
    if (!value.ok) {
      return value;
    }
    values.push(value.value);
  }
  return answered(values);
}

function createWrites(adapter: Adapter): Pick<Kubernetes, 'create' | 'mergePatch' | 'jsonPatch' | 'apply' | 'delete'> {
  const { core } = adapter;
  const patch = (ref: ObjectRef, body: Patch, options: PatchOptions = {}): Answer<Unstructured> => {
    const { subresource } = options;
    const call = { verb: 'patch', of: ref, ...(subresource === undefined ? {} : { subresource }) };
    return request<Unstructured>(adapter, call, endpoint => core.patch(toAddress(endpoint, ref), body, subresource));
  };
  return {
    create: async object =>
      request<Unstructured>(adapter, { verb: 'create', of: toRefOf(object) }, endpoint =>
        core.create(endpoint, object.metadata.namespace ?? '', object),
      ),
    mergePatch: async (ref, body, options = {}) =>
      patch(ref, { type: 'merge', body: locked(body, options.resourceVersion) }, options),
    jsonPatch: async (ref, operations, options = {}) => {
      const { resourceVersion } = options;
      const lock = { op: 'add', path: '/metadata/resourceVersion', value: resourceVersion };
      return patch(
        ref,
        { type: 'json', body: resourceVersion === undefined ? operations : [lock, ...operations] },
        options,
      );
    },
    apply: object => apply(adapter, object, false),
    delete: async (ref, options = {}) =>
      request<Unstructured | undefined>(adapter, { verb: 'delete', of: ref }, endpoint => {
        const { gone, object } = core.delete(toAddress(endpoint, ref), options);
        return gone ? undefined : object;
      }),
  };
}

/** A patch that sets the resourceVersion is refused unless the object is at that version. */
function locked(body: Readonly<Record<string, unknown>>, resourceVersion: string | undefined): unknown {
  if (resourceVersion === undefined) {
    return body;
  }
  const metadata = isObject(body['metadata']) ? body['metadata'] : {};
  return { ...body, metadata: { ...metadata, resourceVersion } };
}

async function apply(adapter: Adapter, object: Intent, dryRun: boolean): Promise<Answer<Unstructured>> {
  return request<Unstructured>(adapter, { verb: 'apply', of: toRefOf(object), dryRun }, () => {
    throw unsupportedMediaType('application/json-patch+json, application/merge-patch+json');
  });
}

function watch(
  { core, clock, signal, report }: Adapter & { readonly signal: AbortSignal },
  query: WatchQuery,
  options: { readonly resourceVersion: string; readonly timeoutSeconds?: number },
): ReturnType<Watches['watch']> {
  return watchMemory({
    core,
    signal,
    open: () => {
      const endpoint = core.registry.endpointOfKind(query.apiVersion, query.kind);
      return core.watch(endpoint, { ...toSelection(endpoint, query), resourceVersion: options.resourceVersion });
    },
    shown: query.as === 'metadata' ? toPartial : object => object,
    over: endsAfter(clock, options.timeoutSeconds),
    sent: () => report(() => toSubject(core, { verb: 'watch', of: query })),
  });
}

interface Call {
  readonly verb: string;
  readonly of: ListQuery | ObjectRef;
  readonly subresource?: string;
  readonly dryRun?: boolean;
}

/** Performs one request, reports it and turns a refusal into data. Nothing is sent after the signal was aborted. */
function request<T>(adapter: Adapter, call: Call, perform: (endpoint: Endpoint) => T): Answer<T> {
  const { core, signal, report } = adapter;
  if (signal?.aborted === true) {
    return refused({ reason: 'Aborted', message: `${call.verb} ${call.of.kind} was aborted before it was sent` });
  }
  const done = report(() => toSubject(core, call));
  try {
    const value = perform(core.registry.endpointOfKind(call.of.apiVersion, call.of.kind));
    done(call.verb === 'create' ? 201 : 200);
    return answered(value);
  } catch (error) {
    const failure = toFailure(error);
    done(failure.code ?? 0);
    return refused(failure);
  }
}

function toSubject(core: ApiCore, { verb, of, subresource, dryRun = false }: Call): RequestSubject {
  const plural = core.registry.ofGroupKind(of.apiVersion, of.kind)?.plural ?? pluralOf(of.kind);
  return {
    verb,
    group: groupOf(of.apiVersion),
    resource: subresource === undefined ? plural : `${plural}/${subresource}`,
    ...(of.namespace === undefined ? {} : { namespace: of.namespace }),
    ...('name' in of ? { name: of.name } : {}),
    dryRun,
  };
}

/** A namespaced object without a namespace, or the other way round, has no URL. */
function toAddress(endpoint: Endpoint, { namespace = '', name }: ObjectRef): Address {
  if (endpoint.resource.namespaced !== (namespace !== '')) {
    throw new NoSuchRouteError();
  }
  return { endpoint, namespace, name };
}

function toSelection({ resource }: Endpoint, { namespace, labels }: ListQuery): Selection {
  if (namespace !== undefined && !resource.namespaced) {
    throw new NoSuchRouteError();
  }
  return {
    ...(namespace === undefined ? {} : { namespace }),
    ...(labels === undefined || Object.keys(labels).length === 0 ? {} : { matches: hasLabels(labels) }),
  };
}

function toPartial({ apiVersion, kind, metadata }: Unstructured): Unstructured {
  return { apiVersion, kind, metadata };
}

function toRefOf({ apiVersion, kind, metadata: { name, namespace } }: Intent): ObjectRef {
  return { apiVersion, kind, name, ...(namespace === undefined ? {} : { namespace }) };
}
