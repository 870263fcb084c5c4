// Derives the watches from the declarations: one watch per kind, shared by all reconcilers.
import type { Kind } from '@capi-serverless/apimachinery';
import type { Declaration, Watch } from '@capi-serverless/reconciler';

/** Maps the events of one source to the primaries of one reconciler. */
export interface WatchRoute {
  readonly reconciler: string;
  readonly primary: Kind;
  readonly as: Watch['as'];
  readonly map: Watch['map'];
  /** Set if an expansion can find the primaries that a source affects. */
  readonly selects?: true;
}

export interface WatchTarget {
  readonly kind: Kind;
  /** 'object' if one of the routes needs the whole object. */
  readonly as: Watch['as'];
  readonly routes: readonly WatchRoute[];
}

export interface WatchSet {
  readonly declared: readonly WatchTarget[];
  /** The routes of the kinds that Clusters reference. The kinds are discovered from watched Clusters. */
  readonly referenced: readonly WatchRoute[];
}

export const clusterKind: Kind = {
  group: 'cluster.x-k8s.io',
  version: 'v1beta2',
  kind: 'Cluster',
  scope: 'Namespaced',
};

/**
 * Returns the watches of these declarations. Each primary maps to itself. If a declaration watches referenced kinds,
 * Clusters are watched as objects, because their spec contains the references.
 */
export function toWatchSet(declarations: readonly Declaration[]): WatchSet {
  const targets = new Map<string, WatchTarget>();
  const referenced: WatchRoute[] = [];
  const add = (kind: Kind, as: Watch['as'], routes: readonly WatchRoute[]): void => {
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
    for (const { source, as, map, matches } of watches) {
      const route = { reconciler, primary, as, map, ...(matches === undefined ? {} : { selects: true as const }) };
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

/** The name `Kind.group`, as in logs. It has no version, because each kind is watched in one version only. */
export function toKindName(kind: Pick<Kind, 'group' | 'kind'>): string {
  return kind.group === '' ? kind.kind : `${kind.kind}.${kind.group}`;
}

/** The source whose objects contain the references. */
export const clusterName = toKindName(clusterKind);

const toItself: Watch['map'] = ({ object }) => [
  { namespace: object.metadata.namespace ?? '', name: object.metadata.name },
];
