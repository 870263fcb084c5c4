// The memory adapter of the Kubernetes port. It answers like the REST adapter, without a network.

import {
  type Answer,
  type ApplyOptions,
  answered,
  type Clock,
  type Evictions,
  type Intent,
  isJsonObject,
  type Kubernetes,
  type ListedPage,
  type ListQuery,
  type ObjectMeta,
  type ObjectRef,
  type Parser,
  type PatchOptions,
  pageSize,
  type Unstructured,
  type Watches,
  type WatchQuery,
  withoutUndefined,
} from '@capi-serverless/apimachinery';
import {
  type Address,
  type ApiCore,
  type ApiWriter,
  hasFields,
  hasLabelKeys,
  hasLabels,
  type ListOptions,
  NoSuchRouteError,
  type Patch,
  type ResourceEndpoint,
  type Selection,
} from '@capi-serverless/apiserver/core';
import { parseObject, toApplyBody } from '../rest/bodies.ts';
import { defaultFieldManager } from '../rest/version.ts';
import { type Adapter, type MemoryCall, request, within } from './memory-requests.ts';
import { shownAs } from './memory-shown.ts';
import { endsAfter, watchMemory } from './memory-watch.ts';

interface MemoryKubernetesOptions {
  /** The name of the client in request facts. */
  readonly client?: string;
  /** Ends watches after their `timeoutSeconds`. Without a clock, watches run until they are aborted. */
  readonly clock?: Pick<Clock, 'sleep'>;
}

/** Creates a client of this core. A request takes effect when it is sent. Its answer arrives in a later microtask. */
export function createMemoryKubernetes(core: ApiCore, options: MemoryKubernetesOptions = {}): Kubernetes {
  return connect({ core, clock: options.clock, signal: undefined, client: options.client ?? 'memory' });
}

/** Creates a client for evictions in this core. */
export function createMemoryEvictions(core: ApiCore, { client = 'memory' }: MemoryKubernetesOptions = {}): Evictions {
  const adapter = { core, clock: undefined, signal: undefined, client };
  return {
    evict: async (pod, options) =>
      request<undefined>(adapter, { verb: 'create', target: { ...pod, subresource: 'eviction' } }, endpoint => {
        core.evict(toAddress(endpoint, pod), options);
      }),
  };
}

function connect(adapter: Adapter): Kubernetes {
  return {
    ...createReads(adapter),
    ...createWrites(adapter),
    dryRun: { apply: async (object, options) => apply(adapter, object, { ...options, dryRun: true }) },
    watches: {
      page: async (query, options) => page(within(adapter, options.signal), query, options),
      watch: (query, options) => watch(within(adapter, options.signal), query, options),
    },
    within: signal => connect(within(adapter, signal)),
  };
}

function createReads(adapter: Adapter): Pick<Kubernetes, 'get' | 'metadata' | 'list'> {
  const read = (target: ObjectRef): Answer<Unstructured> =>
    request<Unstructured>(adapter, { verb: 'get', target }, endpoint => adapter.core.get(toAddress(endpoint, target)));
  async function get(ref: ObjectRef): Promise<Answer<Unstructured>>;
  async function get<T>(ref: ObjectRef, parse: Parser<T>): Promise<Answer<T>>;
  async function get<T>(ref: ObjectRef, parse?: Parser<T>): Promise<Answer<Unstructured | T>> {
    const answer = read(ref);
    return answer.ok && parse !== undefined ? parseObject(answer.value, parse) : answer;
  }
  async function list(query: ListQuery): Promise<Answer<readonly Unstructured[]>>;
  async function list<T>(query: ListQuery, parse: Parser<T>): Promise<Answer<readonly T[]>>;
  async function list<T>(query: ListQuery, parse?: Parser<T>): Promise<Answer<readonly (Unstructured | T)[]>> {
    const answer = readPages(adapter, query);
    return answer.ok && parse !== undefined ? parseAll(answer.value, parse) : answer;
  }
  return {
    get,
    list,
    async metadata(ref): Promise<Answer<ObjectMeta>> {
      const answer = read(ref);
      return answer.ok ? answered(answer.value.metadata) : answer;
    },
  };
}

/** Returns the failure of the first object that the parser refuses. */
function parseAll<T>(objects: readonly Unstructured[], parse: Parser<T>): Answer<readonly T[]> {
  const values: T[] = [];
  for (const object of objects) {
    const parsed = parseObject(object, parse);
    if (!parsed.ok) {
      return parsed;
    }
    values.push(parsed.value);
  }
  return answered(values);
}

/** Reads pages, so that the requests are the same as those of the REST adapter. */
function readPages(adapter: Adapter, query: ListQuery): Answer<readonly Unstructured[]> {
  const { limit = pageSize, as = 'object', until = () => false } = query;
  const nextOf = ({ items, continue: next }: ListedPage): string | undefined => (items.some(until) ? undefined : next);
  const first = page(adapter, { ...query, as }, { limit });
  if (!first.ok || nextOf(first.value) === undefined) {
    return first.ok ? answered(first.value.items) : first;
  }
  const items = [...first.value.items];
  for (let next = nextOf(first.value); next !== undefined; ) {
    const answer = page(adapter, { ...query, as }, { limit, continue: next });
    if (!answer.ok) {
      return answer;
    }
    items.push(...answer.value.items);
    next = nextOf(answer.value);
  }
  return answered(Object.freeze(items));
}

function page(adapter: Adapter, query: WatchQuery, options: ListOptions): Answer<ListedPage> {
  return request<ListedPage>(adapter, toListCall('list', query), endpoint => {
    const { limit = pageSize, continue: from } = options;
    const selection = { ...toSelection(endpoint, query), limit, ...withoutUndefined({ continue: from }) };
    const { items, resourceVersion, continue: next } = adapter.core.list(endpoint, selection);
    return {
      items: query.as === 'object' && query.parts === undefined ? items : items.map(shownAs(query)),
      resourceVersion,
      ...withoutUndefined({ continue: next }),
    };
  });
}

function createWrites(adapter: Adapter): Pick<Kubernetes, 'create' | 'mergePatch' | 'jsonPatch' | 'apply' | 'delete'> {
  const { core } = adapter;
  const writer = (manager = defaultFieldManager): ApiWriter => core.writing({ manager });
  const patch = (ref: ObjectRef, body: Patch, { subresource, fieldManager }: PatchOptions): Answer<Unstructured> => {
    const target = { ...ref, subresource };
    return request<Unstructured>(adapter, { verb: 'patch', target }, endpoint =>
      writer(fieldManager).patch(toAddress(endpoint, ref), body, subresource),
    );
  };
  return {
    create: async (object, options = {}) =>
      request<Unstructured>(adapter, { verb: 'create', target: toTarget(object) }, endpoint =>
        writer(options.fieldManager).create(endpoint, object.metadata.namespace ?? '', object),
      ),
    mergePatch: async (ref, body, options = {}) =>
      patch(ref, { type: 'merge', body: locked(body, options.resourceVersion) }, options),
    async jsonPatch(ref, operations, options = {}) {
      const { resourceVersion: value } = options;
      const lock = value === undefined ? [] : [{ op: 'replace', path: '/metadata/resourceVersion', value }];
      return patch(ref, { type: 'json', body: [...lock, ...operations] }, options);
    },
    apply: async (object, options) => apply(adapter, object, { ...options, dryRun: false }),
    delete: async (ref, options = {}) =>
      request<Unstructured | undefined>(adapter, { verb: 'delete', target: ref }, endpoint => {
        const { gone, object } = core.delete(toAddress(endpoint, ref), options);
        return gone ? undefined : object;
      }),
  };
}

/** A patch that sets the resourceVersion is refused unless the version equals that of the object. */
function locked(body: Readonly<Record<string, unknown>>, resourceVersion: string | undefined): unknown {
  if (resourceVersion === undefined) {
    return body;
  }
  const metadata = isJsonObject(body['metadata']) ? body['metadata'] : {};
  return { ...body, metadata: { ...metadata, resourceVersion } };
}

function apply(
  adapter: Adapter,
  object: Intent,
  options: ApplyOptions & { readonly dryRun: boolean },
): Answer<Unstructured> {
  const { fieldManager: manager, force, dryRun } = options;
  const body = toApplyBody(object, options);
  return request<Unstructured>(adapter, { verb: 'apply', target: toTarget(object), dryRun }, endpoint => {
    const { name, namespace } = object.metadata;
    const address = toAddress(endpoint, { ...object, name, ...withoutUndefined({ namespace }) });
    return adapter.core.writing({ manager, dryRun }).apply(address, { body, force }).object;
  });
}

function watch(
  adapter: Adapter & { readonly signal: AbortSignal },
  query: WatchQuery,
  options: { readonly resourceVersion: string; readonly timeoutSeconds?: number },
): ReturnType<Watches['watch']> {
  const { core, clock } = adapter;
  return watchMemory({
    adapter,
    call: toListCall('watch', query),
    open: () => {
      const endpoint = core.registry.endpointOfKind(query.apiVersion, query.kind);
      return core.watch(endpoint, { ...toSelection(endpoint, query), resourceVersion: options.resourceVersion });
    },
    shown: shownAs(query),
    lifetime: endsAfter(clock, options.timeoutSeconds),
  });
}

function toListCall(verb: 'list' | 'watch', { apiVersion, kind, namespace }: ListQuery): MemoryCall {
  return { verb, target: { apiVersion, kind, namespace } };
}

function toTarget({ apiVersion, kind, metadata: { name, namespace } }: Intent): MemoryCall['target'] {
  return { apiVersion, kind, namespace, name };
}

/** A namespaced object needs a namespace. A cluster-scoped object must have none. Otherwise there is no URL. */
function toAddress(endpoint: ResourceEndpoint, { namespace = '', name }: ObjectRef): Address {
  if (endpoint.resource.namespaced !== (namespace !== '')) {
    throw new NoSuchRouteError();
  }
  return { endpoint, namespace, name };
}

function toSelection(
  endpoint: ResourceEndpoint,
  { namespace, labels = {}, withLabels = [], fields = {} }: ListQuery,
): Selection {
  if (namespace !== undefined && !endpoint.resource.namespaced) {
    throw new NoSuchRouteError();
  }
  const tests = [
    ...(Object.keys(labels).length === 0 ? [] : [hasLabels(labels)]),
    ...(withLabels.length === 0 ? [] : [hasLabelKeys(withLabels)]),
    ...(Object.keys(fields).length === 0 ? [] : [hasFields(fields, endpoint)]),
  ];
  return {
    ...withoutUndefined({ namespace }),
    ...(tests.length === 0 ? {} : { matches: object => tests.every(test => test(object)) }),
  };
}
