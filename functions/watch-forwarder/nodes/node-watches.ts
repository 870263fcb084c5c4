// Watches the Nodes of workload clusters, metadata only, and enqueues the primaries of changed Nodes. One watch for each
// Cluster whose primaries have or expect Nodes.
import {
  answered,
  type Clock,
  type GroupKind,
  type Kind,
  type Name,
  type Reads,
  toDisplayName,
  type Unstructured,
} from '@capi-serverless/apimachinery';
import type { Declaration, Log, NodeOfPrimary, SourceEvent } from '@capi-serverless/reconciler';
import { clusterGroup, readCluster } from '../../../shared/api/cluster/reader.ts';
import type { Origin } from '../../../shared/event-source/router.ts';
import { toKindName, type WatchRoute } from '../../../shared/event-source/watch-set.ts';
import type { Metrics } from '../../../shared/kernel/metrics.ts';
import { RequestSlots } from '../../../shared/workload/request-slots.ts';
import type { WatchWorkload } from '../../../shared/workload/watches.ts';
import { aborted } from '../aborted.ts';
import { Follower } from '../follow.ts';
import type { Intake } from '../intake.ts';
import { KubeconfigWatches } from './kubeconfig-watches.ts';
import { ListedNames } from './listed-names.ts';
import { NodeIndex } from './node-index.ts';

export interface NodeAccess {
  /** Reads the Secrets with kubeconfigs. */
  readonly reads: Pick<Reads, 'get'>;
  readonly connect: WatchWorkload;
  /** Default: 1,000. */
  readonly mostClusters?: number;
}

interface NodeWatchesOptions extends NodeAccess {
  readonly declarations: readonly Declaration[];
  readonly intake: Pick<Intake, 'receive'>;
  readonly clock: Clock;
  readonly log: Log;
  readonly metrics: Metrics;
}

/** The maximum number of workload clusters, because each one needs a connection. */
const mostWorkloadClusters = 1000;

/** The maximum number of lists at the same time. */
const mostLists = 20;

/** A workload cluster may be unreachable for days. */
const failureGaps = { firstMs: 1_000, longestMs: 300_000 };

const clusterSource = toKindName({ group: clusterGroup, kind: 'Cluster' });
const nodeKind: Kind = { group: '', version: 'v1', kind: 'Node', scope: 'Cluster' };

interface NodeRoute {
  readonly primary: GroupKind;
  readonly nodes: (primary: Unstructured) => NodeOfPrimary | undefined;
  readonly index: NodeIndex;
  readonly listed: ListedNames;
  toRoute(cluster: Name): WatchRoute;
}

interface FollowedCluster {
  readonly uid: string;
  readonly end: AbortController;
  readonly ended: Promise<void>;
}

export class NodeWatches {
  readonly #options: NodeWatchesOptions;
  readonly #routes: readonly NodeRoute[];
  readonly #slots: RequestSlots;
  readonly #listedClusters = new ListedNames();
  /** The Clusters with an initialized control plane, as `namespace/name`. */
  readonly #ready = new Map<string, Name & { readonly uid: string }>();
  readonly #started = new Map<string, FollowedCluster>();
  #signal = AbortSignal.abort();

  constructor(options: NodeWatchesOptions) {
    this.#options = options;
    this.#routes = options.declarations.flatMap(toNodeRoutes);
    this.#slots = new RequestSlots(mostLists, options.clock);
  }

  /** The number of workload clusters whose Nodes are watched. */
  get size(): number {
    return this.#started.size;
  }

  /** Resolves after `signal` aborts and all watches have ended. Starts nothing before and after. */
  async run(signal: AbortSignal): Promise<void> {
    this.#signal = signal;
    this.#startAndStop();
    await aborted(signal);
    await Promise.all([...this.#started.values()].map(({ ended }) => ended));
  }

  /** Receives the objects of the declared kind `source`, named `Kind.group`. */
  see(source: string, { type, object }: SourceEvent, cause: 'list' | 'event'): void {
    const { namespace = '', name } = object.metadata;
    const of: Name = { namespace, name };
    const current = type === 'DELETED' ? undefined : object;
    let isChanged = false;
    if (source === clusterSource) {
      isChanged = this.#seeCluster(of, current);
      if (cause === 'list') {
        this.#listedClusters.add(toDisplayName(of));
      }
    }
    for (const { primary, nodes, index, listed } of this.#routes) {
      if (source === toKindName(primary)) {
        isChanged = index.set(of, current && nodes(current)) || isChanged;
        if (cause === 'list') {
          listed.add(toDisplayName(of));
        }
      }
    }
    if (isChanged) {
      this.#startAndStop();
    }
  }

  /** All objects of the kind were listed. Deletions before the list may have been missed. */
  listed(source: string): void {
    if (source === clusterSource) {
      for (const key of this.#listedClusters.missing([...this.#ready.keys()])) {
        this.#ready.delete(key);
      }
    }
    for (const { primary, index, listed } of this.#routes) {
      if (source === toKindName(primary)) {
        for (const key of listed.missing(index.primaries)) {
          index.delete(key);
        }
      }
    }
    this.#startAndStop();
  }

  /** Returns whether the Cluster became ready, or ceased to be. */
  #seeCluster(of: Name, object: Unstructured | undefined): boolean {
    const key = toDisplayName(of);
    const known = this.#ready.get(key)?.uid;
    const uid = object !== undefined && hasControlPlane(object) ? object.metadata.uid : undefined;
    if (uid === undefined) {
      this.#ready.delete(key);
    } else {
      this.#ready.set(key, { ...of, uid });
    }
    return uid !== known;
  }

  #startAndStop(): void {
    const most = this.#options.mostClusters ?? mostWorkloadClusters;
    for (const [key, { uid, end }] of this.#started) {
      const wanted = this.#ready.get(key);
      if (wanted?.uid !== uid || !this.#isNeeded(wanted)) {
        end.abort();
        this.#started.delete(key);
      }
    }
    for (const [key, cluster] of this.#ready) {
      if (this.#signal.aborted || this.#started.size >= most) {
        return;
      }
      if (!this.#started.has(key) && this.#isNeeded(cluster)) {
        this.#started.set(key, this.#follow(cluster));
      }
    }
  }

  #isNeeded(cluster: Name): boolean {
    return this.#routes.some(({ index }) => index.has(cluster));
  }

  #follow(cluster: Name & { readonly uid: string }): FollowedCluster {
    const { reads, connect, intake, clock, metrics } = this.#options;
    const { namespace, name, uid } = cluster;
    const origin: Origin = {
      name: toKindName(nodeKind),
      origin: 'referenced',
      routes: this.#routes.map(route => route.toRoute(cluster)),
    };
    const listed = new ListedNames();
    const follower = new Follower(
      { name: origin.name, as: 'metadata', locate: async () => answered(nodeKind) },
      {
        watches: new KubeconfigWatches({ cluster, reads, connect, slots: this.#slots, clock }),
        clock,
        metrics,
        log: this.#options.log.with({ Cluster: { namespace, name } }),
        failureGaps,
        see: (event, cause) => {
          if (cause === 'list') {
            listed.add(event.object.metadata.name);
          }
          intake.receive(origin, event, cause);
        },
        listed: () => {
          const known = this.#routes.flatMap(({ index }) => index.nodesOf(cluster));
          for (const node of listed.missing(known)) {
            intake.receive(origin, toDeleted(node), 'event');
          }
        },
      },
    );
    const end = new AbortController();
    const ended = follower.run(AbortSignal.any([this.#signal, end.signal]));
    return { uid, end, ended };
  }
}

function toNodeRoutes({ name: reconciler, primary, nodes }: Declaration): readonly NodeRoute[] {
  if (nodes === undefined) {
    return [];
  }
  const index = new NodeIndex();
  const toRoute = (cluster: Name): WatchRoute => ({
    reconciler,
    primary,
    as: 'metadata',
    map: ({ object }) => index.primariesOf(cluster, object.metadata.name),
  });
  return [{ primary, nodes, index, listed: new ListedNames(), toRoute }];
}

function hasControlPlane(cluster: Unstructured): boolean {
  const { metadata, status } = readCluster(cluster);
  return (
    metadata.deletionTimestamp === undefined &&
    status.conditions.some(({ type, status: value }) => type === 'ControlPlaneInitialized' && value === 'True')
  );
}

/** A Node that is no longer in a list. Its last version is not known. */
function toDeleted(name: string): SourceEvent {
  const metadata = { name, uid: '', resourceVersion: '' };
  return { type: 'DELETED', object: { apiVersion: 'v1', kind: 'Node', metadata } };
}
