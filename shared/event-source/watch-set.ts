// What to watch, derived from the declarations: one watch per kind, which serves every reconciler that asked for it.
import type { Kind } from '../api/object.ts';
import type { Declaration, Watch } from '../kernel/types.ts';

/** Where the events of one source go: through `map`, to the primaries of one reconciler. */
export interface Route {
  readonly reconciler: string;
  readonly primary: Kind;
  readonly as: Watch['as'];
  readonly map: Watch['map'];
}

export interface WatchTarget {
  readonly kind: Kind;
  /** 'object' when one of the routes needs it. */
  readonly as: Watch['as'];
  readonly routes: readonly Route[];
}

export interface WatchSet {
  readonly declared: readonly WatchTarget[];
  /** Routes of the kinds that Clusters' references name; the kinds become known as Clusters pass by. */
  readonly referenced: readonly Route[];
}

export const clusterKind: Kind = {
  group: 'cluster.x-k8s.io',
  version: 'v1beta2',
  kind: 'Cluster',
  scope: 'Namespaced',
};

/**
 * The watches that serve these declarations. Each primary maps to itself. Where a declaration asks for referenced kinds,
 * Clusters are watched as objects, because only their spec names those kinds.
 */
export function toWatchSet(declarations: readonly Declaration[]): WatchSet {
  const targets = new Map<string, WatchTarget>();
  const referenced: Route[] = [];
  const add = (kind: Kind, as: Watch['as'], routes: readonly Route[]): void => {
    const id = toKindName(kind);
    const known = targets.get(id);
    targets.set(id, {
      kind: known?.kind ?? kind,
      as: known?.as === 'object' ? 'object' : as,
      routes: [...(known?.routes ?? []), ...routes],
    });
  };
  for (const { name: reconciler, primary, watches } of declarations) {
    add(primary, 'metadata', [{ reconciler, primary, as: 'metadata', map: toItself }]);
    for (const { source, as, map } of watches) {
      const route = { reconciler, primary, as, map };
      if (source === 'referenced') {
        referenced.push(route);
        add(clusterKind, 'object', []);
      } else {
        add(source, as, [route]);
      }
    }
  }
  return { declared: [...targets.values()], referenced };
}

/** `Kind.group`, as it stands in logs; the version is left out because a kind is watched in one version only. */
export function toKindName(kind: Pick<Kind, 'group' | 'kind'>): string {
  return kind.group === '' ? kind.kind : `${kind.kind}.${kind.group}`;
}

/** The source that names the referenced kinds. */
export const clusterName = toKindName(clusterKind);

const toItself: Watch['map'] = ({ object }) => [
  { namespace: object.metadata.namespace ?? '', name: object.metadata.name },
];
