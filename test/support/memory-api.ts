// An in-memory Kubernetes API for tests: the kinds of Cluster API, deterministic ids, a stepped clock, and a client
// that records calls. Tests script failures.

import type {
  Instant,
  Intent,
  Kubernetes,
  ObjectRef,
  PartialObject,
  Unstructured,
} from '@capi-serverless/apimachinery';
import { type Address, type ApiCore, createApiCore, type ResourceEndpoint } from '@capi-serverless/apiserver/core';
import type { StoreSnapshot } from '@capi-serverless/apiserver/snapshot';
import { simulatedCrds } from '../../local/provider/crds/index.ts';
import type { IdSource } from '../../packages/apiserver/core/context.ts';
import { coreCrds } from '../../shared/api/crds.ts';
import { createMemoryKubernetes } from '../../shared/kubernetes/memory/memory-kubernetes.ts';
import { createFaultyKubernetes, type FaultyKubernetes } from './faulty-kubernetes.ts';
import { type Built, built } from './object-builder.ts';
import { SteppedClock } from './stepped-clock.ts';

export interface MemoryApi {
  readonly core: ApiCore;
  readonly clock: SteppedClock;
  /** The client of the code under test. It records calls, and tests script its failures. */
  readonly kubernetes: Kubernetes;
  /** The recorded calls and failures of `kubernetes`. */
  readonly calls: Omit<FaultyKubernetes, 'kubernetes'>;
  /** Another client. It records nothing and has no failures. */
  readonly others: Kubernetes;
  /**
   * Stores the described objects, including status and deletion. Creates their namespaces. Returns the stored objects
   * with uid, resourceVersion and times of the server. Owner references to objects that were stored before get the
   * stored uids.
   */
  given(...objects: readonly Built[]): readonly Unstructured[];
  /** Returns the stored object, or undefined if there is none. */
  find(ref: ObjectRef): Unstructured | undefined;
  /** Returns the stored object. Throws if there is none. */
  read(ref: ObjectRef): Unstructured;
}

export interface MemoryApiOptions {
  /** Installed in addition to the kinds of Cluster API and of the simulated provider. */
  readonly crds?: readonly Intent[];
  readonly clock?: SteppedClock;
}

export function createMemoryApi(options: MemoryApiOptions = {}): MemoryApi {
  const clock = options.clock ?? new SteppedClock();
  const snapshot = installed(clock.now());
  const core = createApiCore({ now: () => clock.now(), ids: countingIds(snapshot.objects.length), snapshot });
  for (const crd of options.crds ?? []) {
    installCrd(core, crd);
  }
  const { kubernetes, ...calls } = createFaultyKubernetes(createMemoryKubernetes(core, { clock }));
  const uids = new Map<string, string>();
  const find = (ref: ObjectRef): Unstructured | undefined => {
    const { endpoint, namespace, name } = addressOf(core, ref);
    return core.list(endpoint, namespace === '' ? {} : { namespace }).items.find(item => item.metadata.name === name);
  };
  return {
    core,
    clock,
    kubernetes,
    calls,
    others: createMemoryKubernetes(core, { client: 'others', clock }),
    given: (...objects) => objects.map(object => store(core, built(object), uids)),
    find,
    read(ref) {
      const found = find(ref);
      if (found === undefined) {
        throw new Error(`There is no ${ref.kind} ${ref.namespace ?? ''}/${ref.name}`);
      }
      return found;
    },
  };
}

let latest: { readonly at: Instant; readonly snapshot: StoreSnapshot } | undefined;

/**
 * A server with the usual kinds at this time. It is cached, because most tests begin at the same time and stored
 * objects are immutable.
 */
function installed(at: Instant): StoreSnapshot {
  if (latest?.at !== at) {
    const core = createApiCore({ now: () => at, ids: countingIds() });
    for (const crd of [...coreCrds, ...simulatedCrds]) {
      installCrd(core, crd);
    }
    latest = { at, snapshot: core.snapshot() };
  }
  return latest.snapshot;
}

/** Returns sequential uids after the used ones, and sequential name suffixes. */
export function countingIds(used = 0): IdSource {
  let uids = used;
  let suffixes = 0;
  return {
    uid() {
      uids += 1;
      return `00000000-0000-4000-8000-${String(uids).padStart(12, '0')}`;
    },
    nameSuffix() {
      suffixes += 1;
      return String(suffixes).padStart(5, '0');
    },
  };
}

export function installCrd(core: ApiCore, crd: Intent): void {
  core.create(core.registry.endpointOfKind('apiextensions.k8s.io/v1', 'CustomResourceDefinition'), '', crd);
}

function addressOf(core: ApiCore, { apiVersion, kind, namespace = '', name }: ObjectRef): Address {
  return { endpoint: core.registry.endpointOfKind(apiVersion, kind), namespace, name };
}

/** `uids` maps the uid in a description to the stored uid. */
function store(core: ApiCore, object: PartialObject, uids: Map<string, string>): Unstructured {
  const { name, namespace = '', labels, annotations, finalizers, deletionTimestamp } = object.metadata;
  const endpoint = core.registry.endpointOfKind(object.apiVersion, object.kind);
  ensureNamespace(core, endpoint, namespace);
  const ownerReferences = object.metadata.ownerReferences?.map(owner => ({
    ...owner,
    uid: uids.get(owner.uid) ?? owner.uid,
  }));
  const metadata = { name, namespace, labels, annotations, finalizers, ownerReferences };
  const created = core.create(endpoint, namespace, { ...object, metadata });
  uids.set(object.metadata.uid, created.metadata.uid);
  const address: Address = { endpoint, namespace, name };
  const status = 'status' in object ? object.status : undefined;
  const reported =
    status === undefined || !endpoint.version.status
      ? created
      : core.patch(address, { type: 'merge', body: { status } }, 'status');
  return deletionTimestamp === undefined ? reported : beginDeletion(core, address);
}

function beginDeletion(core: ApiCore, address: Address): Unstructured {
  const { gone, object } = core.delete(address);
  if (gone) {
    throw new Error(`${object.kind} ${address.name} is given as deleting but has no finalizer to keep it`);
  }
  return object;
}

function ensureNamespace(core: ApiCore, endpoint: ResourceEndpoint, namespace: string): void {
  const namespaces = core.registry.endpointOfKind('v1', 'Namespace');
  const known = core.list(namespaces, {}).items.some(item => item.metadata.name === namespace);
  if (endpoint.resource.namespaced && !known) {
    core.create(namespaces, '', { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } });
  }
}
