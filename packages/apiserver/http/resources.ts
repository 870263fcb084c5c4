// Requests for objects. Maps route, query and body to one call of the core, and its result to a response.
import { type Instant, isJsonObject, withoutUndefined } from '@capi-serverless/apimachinery';
import type { ApiCore } from '../core/api-core.ts';
import { decodeObject } from '../core/decode.ts';
import { without } from '../core/json.ts';
import { type Address, type Resource, type ResourceEndpoint, type Subresource, storageOf } from '../core/kinds.ts';
import type { Stored } from '../core/object.ts';
import type { Selection } from '../core/selection.ts';
import {
  badRequest,
  conflict,
  methodNotAllowed,
  notFound,
  StatusError,
  unsupportedMediaType,
  versionTooLarge,
} from '../core/status.ts';
import type { Patch } from '../core/update.ts';
import type { ApiWriter } from '../core/writer.ts';
import { checkAccess, mayDoAll } from './authorize.ts';
import { decodeApplied, decodeBody, decodeJson, toPatchType } from './body.ts';
import { evicted, eviction, parseEviction } from './eviction.ts';
import { createFieldChecks, type FieldChecks } from './field-validation.ts';
import { toManager } from './manager.ts';
import { negotiate } from './negotiate.ts';
import {
  type ListParameters,
  parseApply,
  parseDelete,
  parseList,
  parseWrite,
  type WriteParameters,
} from './parameters.ts';
import { succeeded, toWarnings, type WholeReply } from './reply.ts';
import { showObject, showPage, type View, warningsOfPage } from './represent.ts';
import type { ApiRequest } from './request.ts';
import type { ResourceRoute } from './route.ts';
import { parseFieldSelector, parseLabelSelector } from './selectors.ts';
import type { IncludeObject } from './table.ts';
import { checkNamed, checkScope, hasSubresource, isOffered, verbOf } from './verbs.ts';
import type { WatchReply } from './watch-stream.ts';

interface Backend {
  readonly core: ApiCore;
  readonly now: () => Instant;
}

type TimedWatch = WatchReply & { readonly timeoutSeconds: number | undefined };

/** The parts of one request. */
interface Call {
  readonly backend: Backend;
  readonly request: ApiRequest;
  readonly route: ResourceRoute;
  readonly endpoint: ResourceEndpoint;
  /** Warnings to return with the result. */
  readonly warnings: readonly string[];
}

/** Throws StatusError or NoSuchRouteError if the request is refused. */
export function answerResource(backend: Backend, request: ApiRequest, route: ResourceRoute): WholeReply | TimedWatch {
  const { registry } = backend.core;
  const verb = verbOf(request, route);
  if (!mayDoAll(request.user) && !isReview(backend, route)) {
    checkAccess(request.user, verb ?? request.method.toLowerCase(), route);
  }
  const endpoint = registry.endpointOfResource(route.group, route.version, route.plural);
  checkScope(endpoint, route, verb);
  if (route.subresource !== undefined && !hasSubresource(endpoint, route.subresource)) {
    throw notFound(endpoint.resource, route.name ?? '');
  }
  if (verb === undefined || !isOffered(verb, endpoint, route)) {
    throw methodNotAllowed(endpoint.resource.custom ? endpoint.resource : undefined);
  }
  checkNamed(verb, request, route);
  const { deprecation } = endpoint.version;
  const call: Call = { backend, request, route, endpoint, warnings: deprecation === undefined ? [] : [deprecation] };
  switch (verb) {
    case 'get':
      return get(call);
    case 'list':
      return list(call);
    case 'watch':
      return watch(call);
    case 'create':
      return route.subresource === eviction ? evict(call) : create(call);
    case 'update':
      return update(call);
    case 'patch':
      return patch(call);
    case 'delete':
      return remove(call);
    case 'deletecollection':
      return removeAll(call);
  }
}

/** All users may ask what they may do. */
function isReview({ core }: Backend, { group, version, plural }: ResourceRoute): boolean {
  const found = core.registry.all().find(each => each.group === group && each.plural === plural);
  return found?.review !== undefined && found.versions.some(({ name }) => name === version);
}

function addressOf({ endpoint, route }: Call): Address {
  return { endpoint, namespace: route.namespace ?? '', name: route.name ?? '' };
}

const includes: readonly IncludeObject[] = ['None', 'Metadata', 'Object'];

function viewOf({ backend, endpoint, request }: Call): View {
  const { form } = negotiate(request.accept);
  const include = includes.find(each => each === request.query.get('includeObject')) ?? 'Metadata';
  return { endpoint, form, include, now: backend.now() };
}

function reply(call: Call, object: Stored, code = 200, warnings: readonly string[] = []): WholeReply {
  const { encoding } = negotiate(call.request.accept);
  return succeeded(showObject(object, viewOf(call)), { code, encoding, warnings: [...call.warnings, ...warnings] });
}

function selectionOf({ endpoint, route }: Call, { labelSelector, fieldSelector }: ListParameters): Selection {
  const tests = [
    ...(labelSelector === '' ? [] : [parseLabelSelector(labelSelector)]),
    ...(fieldSelector === '' ? [] : [parseFieldSelector(fieldSelector, endpoint)]),
  ];
  return {
    ...withoutUndefined({ namespace: route.namespace }),
    ...(tests.length === 0 ? {} : { matches: object => tests.every(test => test(object)) }),
  };
}

function get(call: Call): WholeReply {
  checkReached(call, call.request.query.get('resourceVersion') ?? '');
  return reply(call, call.backend.core.get(addressOf(call), subresourceOf(call.route)));
}

/** Reads return the latest state. The state must not be older than the requested version. */
function checkReached({ backend }: Call, resourceVersion: string): void {
  const current = Number(backend.core.resourceVersion());
  if (Number(resourceVersion) > current) {
    throw versionTooLarge(Number(resourceVersion), current);
  }
}

function list(call: Call): WholeReply {
  const { core } = call.backend;
  const { encoding } = negotiate(call.request.accept);
  const parameters = parseList(call.request.query, 'list');
  checkReached(call, parameters.resourceVersion);
  const page = core.list(call.endpoint, {
    ...selectionOf(call, parameters),
    ...(parameters.limit === 0 ? {} : { limit: parameters.limit }),
    ...(parameters.continue === '' ? {} : { continue: parameters.continue }),
    ...(parameters.exact ? { at: Number(parameters.resourceVersion) } : {}),
  });
  return succeeded(showPage(page, viewOf(call)), {
    encoding,
    warnings: [...call.warnings, ...warningsOfPage(page, call.endpoint.version.name)],
  });
}

function watch(call: Call): TimedWatch {
  const parameters = parseList(call.request.query, 'watch');
  const selection = selectionOf(call, parameters);
  // Refuses an unsupported representation before the stream starts.
  viewOf(call);
  return {
    type: 'watch',
    open: () => call.backend.core.watch(call.endpoint, { ...selection, resourceVersion: parameters.resourceVersion }),
    view: () => viewOf(call),
    bookmarks: parameters.bookmarks,
    timeoutSeconds: parameters.timeoutSeconds,
    warnings: toWarnings(call.warnings),
  };
}

function create(call: Call): WholeReply {
  const { request, route, endpoint } = call;
  viewOf(call);
  const parameters = parseWrite(request.query, 'CreateOptions');
  const { value, duplicates } = decodeBody(request.body, request.contentType);
  checkPresent(value);
  if (endpoint.resource.review !== undefined) {
    return review(call, endpoint.resource.review, value);
  }
  const checks = createFieldChecks({ ...parameters, duplicates, of: endpoint });
  const writer = writerOf(call, parameters, checks);
  return reply(call, writer.create(endpoint, route.namespace ?? '', value), 201, checks.warnings());
}

function review({ request, endpoint }: Call, answer: NonNullable<Resource['review']>, value: unknown): WholeReply {
  const { apiVersion, kind, spec } = decodeObject(value, endpoint);
  const { encoding } = negotiate(request.accept);
  const { name = '', groups = [] } = request.user ?? {};
  const status = answer(spec, { name, groups, mayDoAll: mayDoAll(request.user) });
  const metadata = { creationTimestamp: null };
  return succeeded({ kind, apiVersion, metadata, ...withoutUndefined({ spec }), status }, { code: 201, encoding });
}

function evict(call: Call): WholeReply {
  const { backend, request, route } = call;
  const { encoding } = negotiate(request.accept);
  const parameters = parseWrite(request.query, 'CreateOptions');
  const { value } = decodeBody(request.body, request.contentType);
  checkPresent(value);
  const { dryRun, options } = parseEviction(value, route);
  backend.core.writing({ dryRun: dryRun || parameters.dryRun }).evict(addressOf(call), options);
  return succeeded(evicted, { code: evicted.code, encoding, warnings: call.warnings });
}

function writerOf(
  { backend, request }: Call,
  { dryRun, fieldManager }: WriteParameters,
  { callbacks }: Pick<FieldChecks, 'callbacks'>,
): ApiWriter {
  return backend.core.writing({ dryRun, manager: toManager(fieldManager, request.userAgent), ...callbacks });
}

function checkPresent(body: unknown): void {
  if (body === undefined) {
    throw badRequest('the body of the request is empty');
  }
}

function update(call: Call): WholeReply {
  const { backend, request, endpoint, route } = call;
  viewOf(call);
  const parameters = parseWrite(request.query, 'UpdateOptions');
  const { value, duplicates } = decodeBody(request.body, request.contentType);
  checkPresent(value);
  if (route.subresource === 'finalize') {
    return reply(call, backend.core.finalizeNamespace(route.name ?? '', value));
  }
  const checks = createFieldChecks({ ...parameters, duplicates, of: endpoint });
  const writer = writerOf(call, parameters, checks);
  const address = addressOf(call);
  try {
    return reply(call, writer.update(address, value, subresourceOf(route)), 200, checks.warnings());
  } catch (error) {
    if (!createsOnUpdate(endpoint, error)) {
      throw error;
    }
    return reply(call, writer.create(endpoint, address.namespace, toNew(value, address)), 201, checks.warnings());
  }
}

/** If the object does not exist, a resourceVersion is ignored, but a uid is not. */
function toNew(body: unknown, { endpoint, name }: Address): unknown {
  const metadata = isJsonObject(body) ? body['metadata'] : undefined;
  if (!isJsonObject(body) || !isJsonObject(metadata)) {
    return body;
  }
  if (metadata['uid'] !== undefined && metadata['uid'] !== null && metadata['uid'] !== '') {
    const why = `Precondition failed: UID in precondition: ${String(metadata['uid'])}, UID in object meta: `;
    throw conflict(storageOf(endpoint).resource, name, why);
  }
  return { ...body, metadata: without(metadata, 'resourceVersion') };
}

/** A PUT of an Event that does not exist creates it. */
function createsOnUpdate({ resource }: ResourceEndpoint, error: unknown): boolean {
  return !resource.custom && resource.kind === 'Event' && error instanceof StatusError && error.status.code === 404;
}

function subresourceOf({ subresource }: ResourceRoute): Subresource | undefined {
  return subresource === 'status' || subresource === 'scale' ? subresource : undefined;
}

function patch(call: Call): WholeReply {
  const { request, route } = call;
  viewOf(call);
  const { listStrategies: lists } = call.endpoint.resource;
  const type = toPatchType(request.contentType, { strategic: lists !== undefined });
  if (type === 'apply') {
    return apply(call);
  }
  const parameters = parseWrite(request.query, 'PatchOptions');
  const { value: body, duplicates } = decodeJson(request.body);
  const checks = createFieldChecks({
    ...parameters,
    duplicates,
    patched: { endpoint: call.endpoint, name: route.name ?? '' },
  });
  const writer = writerOf(call, parameters, checks);
  const change: Patch = type === 'strategic' ? { type, body, lists: lists ?? {} } : { type, body };
  return reply(call, writer.patch(addressOf(call), change, subresourceOf(route)), 200, checks.warnings());
}

/** Duplicate fields are reported last. Unknown fields are not reported, because they do not match the schema. */
function apply(call: Call): WholeReply {
  const { request, route } = call;
  const parameters = parseApply(request.query);
  const { value: body, duplicates } = decodeApplied(request.body);
  const checks = createFieldChecks({ ...parameters, duplicates });
  const writer = writerOf(call, parameters, checks);
  const subresource = subresourceOf(route);
  if (subresource === 'scale') {
    // kube-apiserver fails here: it cannot convert a Scale to the version of a custom resource.
    throw unsupportedMediaType('application/json-patch+json, application/merge-patch+json');
  }
  const { object, created } = writer.apply(addressOf(call), { body, force: parameters.force }, subresource);
  return reply(call, object, created ? 201 : 200, checks.warnings());
}

function remove(call: Call): WholeReply {
  const { backend, request, endpoint, route } = call;
  const { encoding } = negotiate(request.accept);
  const { value } = decodeBody(request.body, request.contentType);
  const { dryRun, options } = parseDelete(request.query, value);
  const { gone, object } = backend.core.writing({ dryRun }).delete(addressOf(call), options);
  if (!gone || endpoint.resource.returnsDeleted === true) {
    return reply(call, object);
  }
  const { group, plural: kind } = endpoint.resource;
  const details = { name: route.name, ...(group === '' ? {} : { group }), kind, uid: object.metadata.uid };
  const body = { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Success', details };
  return succeeded(body, { encoding, warnings: call.warnings });
}

/** Returns the objects before the deletion. */
function removeAll(call: Call): WholeReply {
  const { backend, request, endpoint } = call;
  const { encoding } = negotiate(request.accept);
  if (!endpoint.resource.collectionDeletable) {
    throw methodNotAllowed();
  }
  const parameters = parseList(request.query, 'list');
  const { value } = decodeBody(request.body, request.contentType);
  const { dryRun, options } = parseDelete(request.query, value);
  const writer = backend.core.writing({ dryRun });
  const { limit } = parameters;
  const page = backend.core.list(endpoint, { ...selectionOf(call, parameters), ...(limit === 0 ? {} : { limit }) });
  for (const { metadata } of page.items) {
    writer.delete({ endpoint, namespace: metadata.namespace ?? '', name: metadata.name }, options);
  }
  return succeeded(showPage(page, viewOf(call)), { encoding, warnings: call.warnings });
}
