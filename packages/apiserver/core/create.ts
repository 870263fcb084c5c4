// POST: decode, namespace, system metadata, validation, admission, commit.
import { withoutUndefined } from '@capi-serverless/apimachinery';
import { toTimestamp } from '@capi-serverless/apimachinery/timestamp';
import { admitWrite, mutateWrite } from './admit-write.ts';
import { around, type Context, completed, forStorage, put, reportUnknown, servedAt } from './context.ts';
import { decodeObject } from './decode.ts';
import { without } from './json.ts';
import { type Resource, type ResourceEndpoint, storageOf } from './kinds.ts';
import { problemsOfMetadata, warningsOf } from './metadata.ts';
import { type ManagedFields, type Metadata, type ObjectDraft, type Stored, withManagedFields } from './object.ts';
import { ownedByWrite } from './ownership.ts';
import { alreadyExists, badRequest, forbidden, invalidObject, NoSuchRouteError, notFound } from './status.ts';
import { checkTypedBody } from './typed-body.ts';

/** The maximum length of the base of a generated name. With the suffix it is a valid DNS label. */
const maxGeneratedBase = 58;

/** The number of attempts to generate an unused name. */
const maxDraws = 8;

/** Stores a new object and returns it. `namespace` comes from the URL, "" for cluster-scoped resources. */
export function createObject(context: Context, endpoint: ResourceEndpoint, namespace: string, body: unknown): Stored {
  const { resource, version } = endpoint;
  if (resource.namespaced !== (namespace !== '')) {
    throw new NoSuchRouteError();
  }
  const decoded = reportUnknown(context, onUnknown => {
    const read = decodeObject(body, endpoint, onUnknown);
    return version.schema?.shape(read, onUnknown) ?? read;
  });
  checkTypedBody(endpoint, decoded);
  return storeNew(context, endpoint, namespace, { decoded, own: draft => ownedByWrite(context, endpoint, { draft }) });
}

/** A new object and the source of its managed fields. */
interface NewObject {
  readonly decoded: ObjectDraft;
  /** Called with the object as the client wrote it. */
  own(draft: ObjectDraft): ManagedFields;
}

/** Stores an object with correct types under an unused name, and returns it. */
export function storeNew(
  context: Context,
  endpoint: ResourceEndpoint,
  namespace: string,
  { decoded, own }: NewObject,
): Stored {
  const { resource, version } = endpoint;
  if (decoded.metadata.resourceVersion !== undefined) {
    // kube-apiserver returns 500 here, which clients retry.
    throw badRequest('resourceVersion should not be set on objects to be created');
  }
  const metadata = toNewMetadata(context, endpoint, namespace, decoded.metadata);
  checkRoom(context, endpoint, metadata);
  const meant = completed(endpoint, { ...decoded, metadata });
  const owned = withManagedFields(meant, own(meant));
  const storage = storageOf(endpoint);
  // True: removing the status keeps the other members of the draft.
  const stateless =
    version.status && resource.keepsNewStatus !== true ? (without(owned, 'status') as ObjectDraft) : owned;
  const here = around(context, resource, { namespace, name: metadata.name ?? '' });
  const prepared = resource.strategy.prepare?.(stateless, undefined, here) ?? stateless;
  const named = { resource, name: metadata.name ?? '' };
  const draft = mutateWrite(context, { operation: 'CREATE', ...named, object: prepared });
  const problems = [
    ...problemsOfMetadata(draft, resource, undefined),
    ...(storage.version.schema?.problems(draft) ?? []),
    ...(resource.strategy.validate?.(draft, undefined, here) ?? []),
  ];
  const { name } = draft.metadata;
  if (problems.length > 0 || name === undefined) {
    throw invalidObject(storage.resource, name ?? '', problems);
  }
  for (const text of warningsOf(draft, resource, undefined)) {
    context.write?.onWarning?.(text);
  }
  const admitted = admitWrite(context, { operation: 'CREATE', resource, name, object: draft }) ?? draft;
  const holder = context.store.get(resource, namespace, name);
  if (holder !== undefined) {
    throw alreadyExists(storage.resource, name, holder.metadata.deletionTimestamp !== undefined);
  }
  // True: validation required a name, the other metadata is set above, and put sets the resourceVersion.
  const object = admitted as Stored;
  return servedAt(endpoint, put(context, resource, forStorage(endpoint, object)));
}

function toNewMetadata(
  context: Context,
  { resource }: ResourceEndpoint,
  namespace: string,
  given: Partial<Metadata>,
): Partial<Metadata> {
  if (given.namespace !== undefined && given.namespace !== namespace) {
    throw badRequest('the namespace of the provided object does not match the namespace sent on the request');
  }
  const name = given.name ?? drawName(context, resource, namespace, given.generateName);
  const kept = ['generateName', 'labels', 'annotations', 'finalizers', 'ownerReferences', 'managedFields'] as const;
  const carried = kept.flatMap(member => (given[member] === undefined ? [] : [[member, given[member]]]));
  return {
    ...withoutUndefined({ name }),
    ...(namespace === '' ? {} : { namespace }),
    uid: context.ids.uid({ kind: resource.kind, namespace, name }),
    creationTimestamp: toTimestamp(context.now()),
    ...(resource.countsGeneration ? { generation: 1 } : {}),
    ...Object.fromEntries(carried),
  };
}

/** The last generated name may still be in use. */
function drawName(
  { ids, store }: Context,
  resource: Resource,
  namespace: string,
  generateName: string | undefined,
): string | undefined {
  const base = generateName?.slice(0, maxGeneratedBase);
  if (base === undefined) {
    return undefined;
  }
  let name = `${base}${ids.nameSuffix()}`;
  for (let draw = 1; draw < maxDraws && store.get(resource, namespace, name) !== undefined; draw += 1) {
    name = `${base}${ids.nameSuffix()}`;
  }
  return name;
}

/** The namespace must exist. Neither the namespace nor the kind may be terminating. */
function checkRoom(
  context: Context,
  { resource }: ResourceEndpoint,
  { name = '', namespace }: Partial<Metadata>,
): void {
  if (resource.terminating) {
    throw forbidden(resource, name, 'create not allowed while custom resource definition is terminating');
  }
  if (namespace === undefined) {
    return;
  }
  const namespaces = context.registry.endpointOfKind('v1', 'Namespace').resource;
  const live = context.store.get(namespaces, '', namespace);
  if (live === undefined) {
    throw notFound(namespaces, namespace);
  }
  if (live.metadata.deletionTimestamp !== undefined) {
    const why = `namespace ${namespace} is being terminated`;
    throw forbidden(
      resource,
      name,
      `unable to create new content in namespace ${namespace} because it is being terminated`,
      [{ reason: 'NamespaceTerminating', field: 'metadata.namespace', message: why }],
    );
  }
}
