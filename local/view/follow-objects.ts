// Follows the objects that Clusters reference, of any infrastructure or control plane kind. Also follows Machines and
// their owners.

import {
  type Clock,
  compareText,
  crdNameOf,
  type Kubernetes,
  toDisplayName,
  type Unstructured,
} from '@capi-serverless/apimachinery';
import { clusterNameLabel } from '@capi-serverless/cluster-api/contract';
import { type ClusterSnapshot, memberKinds, referencesOf, toMembers } from '../../functions/cluster/why/snapshot.ts';
import { type ContractReference, clusterApiVersion } from '../../shared/api/cluster/reader.ts';
import { type Referred, type Served, toServed } from '../../shared/explain/referred.ts';
import { followKind, followOnce, retryMs } from './follow-kind.ts';

interface FollowObjects {
  readonly kubernetes: Pick<Kubernetes, 'metadata' | 'watches'>;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  /** Called when the snapshots may have changed. */
  readonly onChange: () => void;
}

export interface FollowedObjects {
  /** Sets the current Cluster. `undefined` means that it was deleted. */
  set(name: string, cluster: Unstructured | undefined): void;
  /** Returns the known Clusters in the order of their names. */
  snapshots(): readonly ClusterSnapshot[];
  /** Resolves after every watch has ended because of the abort. */
  ended(): Promise<void>;
}

interface FollowedKind {
  served: Served | undefined;
  listed: boolean;
  readonly objects: Map<string, Unstructured>;
}

/** Follows a kind after a Cluster references it. A kind that is not installed is looked up once per second. */
export function followObjects(context: FollowObjects): FollowedObjects {
  const clusters = new Map<string, Unstructured>();
  const kinds = new Map<string, FollowedKind>();
  const members = memberKinds.map(kind => ({ kind, objects: new Map<string, Unstructured>() }));
  const running: Promise<void>[] = members.map(({ kind, objects }) => followMembers(context, kind, objects));
  const require = (ref: ContractReference | undefined): void => {
    if (ref !== undefined && !kinds.has(idOf(ref))) {
      const followed: FollowedKind = { served: undefined, listed: false, objects: new Map() };
      kinds.set(idOf(ref), followed);
      running.push(followReferred(context, ref, followed));
    }
  };
  return {
    set(name, cluster) {
      if (cluster === undefined) {
        clusters.delete(name);
      } else {
        clusters.set(name, cluster);
        const { infrastructure, controlPlane } = referencesOf(cluster);
        require(infrastructure);
        require(controlPlane);
      }
      context.onChange();
    },
    snapshots() {
      const found = new Map(members.map(({ kind, objects }) => [kind, byCluster(objects)]));
      return [...clusters]
        .toSorted(([a], [b]) => compareText(a, b))
        .map(([name, cluster]) => ({
          cluster,
          ...toReferred(cluster, kinds),
          ...toMembers(kind => found.get(kind)?.get(name) ?? []),
        }));
    },
    async ended() {
      await Promise.all(running);
    },
  };
}

function followMembers(context: FollowObjects, kind: string, objects: Map<string, Unstructured>): Promise<void> {
  return followKind({
    ...storing(context, objects),
    clock: context.clock,
    query: { apiVersion: clusterApiVersion, kind, as: 'object' },
    onListed: context.onChange,
  });
}

/** The definition is read before each list, because its labels may be added later or contain another version. */
async function followReferred(context: FollowObjects, ref: ContractReference, followed: FollowedKind): Promise<void> {
  const { kubernetes, clock, signal, onChange } = context;
  const known = new Set<string>();
  const crd = { apiVersion: 'apiextensions.k8s.io/v1', kind: 'CustomResourceDefinition', name: crdNameOfRef(ref) };
  while (!signal.aborted) {
    const served = toServed(ref, await kubernetes.metadata(crd));
    if (signal.aborted) {
      // An aborted read has no result for the kind, so the screen shows the last state.
      return;
    }
    followed.served = served;
    onChange();
    const outcome =
      served.state === 'served'
        ? await followOnce(
            {
              ...storing(context, followed.objects),
              query: { apiVersion: served.apiVersion, kind: ref.kind, as: 'object' },
              onListed: () => {
                followed.listed = true;
                onChange();
              },
            },
            known,
          )
        : 'refused';
    if (outcome === 'refused') {
      await clock.sleep(retryMs, signal);
    }
  }
}

function storing({ kubernetes, signal, onChange }: FollowObjects, objects: Map<string, Unstructured>) {
  return {
    watches: kubernetes.watches,
    signal,
    onObject: (name: string, object: Unstructured): void => {
      objects.set(name, object);
      onChange();
    },
    onGone: (name: string): void => {
      objects.delete(name);
      onChange();
    },
  };
}

function toReferred(cluster: Unstructured, kinds: ReadonlyMap<string, FollowedKind>) {
  const { infrastructure, controlPlane } = referencesOf(cluster);
  const find = (ref: ContractReference | undefined): Referred | undefined =>
    ref === undefined ? undefined : referredIn(kinds.get(idOf(ref)), ref, cluster);
  return { infrastructure: find(infrastructure), controlPlane: find(controlPlane) };
}

function referredIn(
  followed: FollowedKind | undefined,
  { kind, name }: ContractReference,
  cluster: Unstructured,
): Referred {
  const { served, listed = false, objects } = followed ?? {};
  if (served !== undefined && served.state !== 'served') {
    return { kind, name, ...served };
  }
  const object = objects?.get(toDisplayName({ ...cluster.metadata, name }));
  if (object !== undefined) {
    return { kind, name, state: 'found', object };
  }
  return { kind, name, state: listed ? 'missing' : 'pending' };
}

function byCluster(objects: ReadonlyMap<string, Unstructured>): ReadonlyMap<string, readonly Unstructured[]> {
  const sorted = [...objects].toSorted(([a], [b]) => compareText(a, b)).map(([, object]) => object);
  return Map.groupBy(sorted, ({ metadata }) =>
    toDisplayName({ ...metadata, name: metadata.labels?.[clusterNameLabel] ?? '' }),
  );
}

function idOf({ apiGroup, kind }: ContractReference): string {
  return `${apiGroup} ${kind}`;
}

function crdNameOfRef({ apiGroup, kind }: ContractReference): string {
  return crdNameOf({ group: apiGroup, kind });
}
