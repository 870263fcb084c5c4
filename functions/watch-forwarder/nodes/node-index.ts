// The primaries of Nodes, by Cluster. Keeps names only.
import { type Name, toDisplayName } from '@capi-serverless/apimachinery';
import type { NodeOfPrimary } from '@capi-serverless/reconciler';

/** More primaries that wait for a Node are not enqueued by one event. Their timers enqueue them. */
const mostWaiting = 100;

/** The names of primaries. They are in the namespace of their Cluster. */
interface ClusterNodes {
  readonly ofNode: Map<string, Set<string>>;
  readonly waiting: Set<string>;
}

export class NodeIndex {
  readonly #clusters = new Map<string, ClusterNodes>();
  /** By the name of the primary. */
  readonly #known = new Map<string, NodeOfPrimary>();

  /** The names of the known primaries, as `namespace/name`. */
  get primaries(): readonly string[] {
    return [...this.#known.keys()];
  }

  /**
   * `undefined`: the primary is gone, or it expects no Node. Returns whether a Cluster has its first primary now, or has
   * none any more.
   */
  set(primary: Name, of: NodeOfPrimary | undefined): boolean {
    const key = toDisplayName(primary);
    const known = this.#known.get(key);
    if (known?.node === of?.node && known?.cluster.name === of?.cluster.name) {
      return false;
    }
    const clusters = this.#clusters.size;
    const isFirst = of !== undefined && !this.has(of.cluster);
    this.delete(key);
    const isLast = this.#clusters.size < clusters;
    if (of !== undefined) {
      this.#known.set(key, of);
      this.#add(primary.name, of);
    }
    return isFirst || isLast;
  }

  /** Removes the primary `namespace/name`. */
  delete(key: string): void {
    const known = this.#known.get(key);
    const nodes = known && this.#clusters.get(toDisplayName(known.cluster));
    if (known === undefined || nodes === undefined) {
      return;
    }
    this.#known.delete(key);
    const name = key.slice(key.indexOf('/') + 1);
    const same = nodes.ofNode.get(known.node) ?? nodes.waiting;
    same.delete(name);
    if (same.size === 0) {
      nodes.ofNode.delete(known.node);
    }
    if (nodes.ofNode.size === 0 && nodes.waiting.size === 0) {
      this.#clusters.delete(toDisplayName(known.cluster));
    }
  }

  /** Whether primaries of the Cluster have, or expect, Nodes. */
  has(cluster: Name): boolean {
    return this.#clusters.has(toDisplayName(cluster));
  }

  /** The names of the Nodes that primaries of the Cluster have. */
  nodesOf(cluster: Name): readonly string[] {
    return [...(this.#clusters.get(toDisplayName(cluster))?.ofNode.keys() ?? [])];
  }

  /** The primaries of a Node. If no primary has it, those that wait for a Node, because one of them may expect it. */
  primariesOf(cluster: Name, node: string): readonly Name[] {
    const nodes = this.#clusters.get(toDisplayName(cluster));
    const names = nodes?.ofNode.get(node) ?? nodes?.waiting ?? [];
    return [...names].slice(0, mostWaiting).map(name => ({ namespace: cluster.namespace, name }));
  }

  #add(name: string, { cluster, node }: NodeOfPrimary): void {
    const key = toDisplayName(cluster);
    const nodes = this.#clusters.get(key) ?? { ofNode: new Map(), waiting: new Set() };
    this.#clusters.set(key, nodes);
    if (node === '') {
      nodes.waiting.add(name);
      return;
    }
    const same = nodes.ofNode.get(node) ?? new Set();
    nodes.ofNode.set(node, same);
    same.add(name);
  }
}
