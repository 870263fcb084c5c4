// Kinds that clients expect on every server, for instance `kubectl get all` and consoles. A server for management objects
// has none of these objects, so its users can only read that there are none.
import { coreKind, freeSchema, namesOf, plainVersion } from './built-in-kind.ts';
import type { Resource } from './kinds.ts';

interface Names {
  readonly kind: string;
  readonly plural: string;
  readonly shortName: string;
  readonly categories?: readonly string[];
  readonly namespaced?: boolean;
}

function emptyKind({ kind, plural, shortName, categories = [], namespaced = true }: Names): Resource {
  return coreKind(kind, plural, {
    names: namesOf(kind, { shortNames: [shortName], categories }),
    namespaced,
    versions: plainVersion(freeSchema),
    readOnly: true,
  });
}

/** Served unless the option `kinds` contains the same kind. */
export const emptyKinds: readonly Resource[] = [
  emptyKind({ kind: 'Node', plural: 'nodes', shortName: 'no', namespaced: false }),
  emptyKind({ kind: 'Pod', plural: 'pods', shortName: 'po', categories: ['all'] }),
  emptyKind({ kind: 'Service', plural: 'services', shortName: 'svc', categories: ['all'] }),
  emptyKind({ kind: 'ServiceAccount', plural: 'serviceaccounts', shortName: 'sa' }),
  // kubectl describe namespace
  emptyKind({ kind: 'ResourceQuota', plural: 'resourcequotas', shortName: 'quota' }),
  emptyKind({ kind: 'LimitRange', plural: 'limitranges', shortName: 'limits' }),
];
