// A Kubernetes API in memory for tests: the Cluster API kinds installed, deterministic ids, a stepped clock, and a client
// that records calls and fails on demand.
import { type ApiCore, createApiCore } from '../../infra/local/apiserver/core/api-core.ts';
import type { IdSource } from '../../infra/local/apiserver/core/context.ts';
import type { Address, Endpoint } from '../../infra/local/apiserver/core/kinds.ts';
import type { Snapshot } from '../../infra/local/apiserver/core/snapshot.ts';
import { createMemoryKubernetes } from '../../infra/local/apiserver/memory-kubernetes.ts';
import { simulatedCrds } from '../../infra/local/provider/crds/index.ts';
import { coreCrds } from '../../shared/api/crds.ts';
import type { Instant, Intent, ObjectRef, PartialObject, Unstructured } from '../../shared/api/object.ts';
import type { Kubernetes } from '../../shared/kubernetes/port.ts';
import { createFaultyKubernetes, type FaultyKubernetes } from './faulty-kubernetes.ts';
import { type Built, built } from './object-builder.ts';
import { SteppedClock } from './stepped-clock.ts';

export interface MemoryApi {
  readonly core: ApiCore;
  readonly clock: SteppedClock;
  /** What the code under test gets: recorded, and failing as told. */
  readonly kubernetes: Kubernetes;
  /** The record of `kubernetes`, and how to make it fail. */
  readonly calls: Omit<FaultyKubernetes, 'kubernetes'>;
  /** Somebody else's client: not recorded, never failing. */
  readonly others: Kubernetes;
  /**
   * Stores objects as they are described, status and begun deletion included; creates their namespaces. Answers them as
   * stored: uid, resourceVersion and times are the server's. References to owners that were given before follow them to
   * their stored uid.
   */
  given(...objects: readonly Built[]): readonly Unstructured[];
  /** The stored object; undefined when there is none. */
  find(ref: ObjectRef): Unstructured | undefined;
  /** The stored object; throws when there is none. */
  read(ref: ObjectRef): Unstructured;
}

export interface MemoryApiOptions {
  /** Installed besides the kinds of Cluster API and of the simulated provider. */
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

let latest: { readonly at: Instant; readonly snapshot: Snapshot } | undefined;

/** A server with the usual kinds, as it is at that time: most tests begin at the same one, and stored objects never change. */
function installed(at: Instant): Snapshot {
  if (latest?.at !== at) {
    const core = createApiCore({ now: () => at, ids: countingIds() });
    for (const crd of [...coreCrds, ...simulatedCrds]) {
      installCrd(core, crd);
    }
    latest = { at, snapshot: core.snapshot() };
  }
  return latest.snapshot;
}

/** uids that count up, after those that are used, and suffixes that count up too. */
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

/** `uids` leads from the uid an object was described with to the one it was stored with. */
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

function ensureNamespace(core: ApiCore, endpoint: Endpoint, namespace: string): void {
  const namespaces = core.registry.endpointOfKind('v1', 'Namespace');
  const known = core.list(namespaces, {}).items.some(item => item.metadata.name === namespace);
  if (endpoint.resource.namespaced && !known) {
    core.create(namespaces, '', { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } });
  }
}
