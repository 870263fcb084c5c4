// Derives the watches from the declarations: one watch per kind, shared by all reconcilers.
import {
  type GroupKind,
  type Kind,
  type Unstructured,
  type WatchQuery,
  withoutUndefined,
} from '@capi-serverless/apimachinery';
import type { Declaration, Watch } from '@capi-serverless/reconciler';
import { conditionPaths, conditionsOfOthers, contentWithoutOwnStatus } from './own-status.ts';

/** Maps the events of one source to the primaries of one reconciler. */
export interface WatchRoute {
  readonly reconciler: string;
  readonly primary: Kind;
  readonly as: Watch['as'];
  readonly map: Watch['map'];
  /** Set if an expansion can find the primaries that a source affects. */
  readonly selects?: true;
  readonly expandsTo?: NonNullable<Watch['expandsTo']>;
  readonly versionOf?: NonNullable<Watch['versionOf']>;
  readonly contentOf?: NonNullable<Watch['contentOf']>;
  readonly contentParts?: NonNullable<Watch['contentParts']>;
}

export interface WatchTarget {
  readonly kind: Kind;
  /** 'object' if one of the routes needs the whole object. */
  readonly as: Watch['as'];
  /** The fields to read with `as: 'object'`, besides metadata. Undefined: all fields. */
  readonly parts: readonly string[] | undefined;
  readonly routes: readonly WatchRoute[];
}

/** A primary kind whose objects reference provider kinds. Its events show which ones. */
export interface Referrer {
  readonly kind: Kind;
  /** `Kind.group` */
  readonly name: string;
  /** The routes of the referenced kinds. */
  readonly routes: readonly WatchRoute[];
  /** The fields of a primary that `kindsOf` reads. Undefined: all fields. */
  readonly parts: readonly string[] | undefined;
  /** The content of events of referenced kinds. */
  readonly as: Watch['as'];
  kindsOf(primary: Unstructured): readonly GroupKind[];
}

export interface WatchSet {
  readonly declared: readonly WatchTarget[];
  readonly referrers: readonly Referrer[];
}

/**
 * Returns the watches of these declarations. Each primary maps to itself, unless the declaration says more. If a declaration watches referenced kinds,
 * its primaries are watched as objects, because their spec contains the references. Throws if such a declaration does
 * not say what a primary references.
 */
export function toWatchSet(declarations: readonly Declaration[]): WatchSet {
  const targets = new Map<string, WatchTarget>();
  const referrers = new Map<string, Referrer>();
  const add = (kind: Kind, { as, parts }: Reading, routes: readonly WatchRoute[]): void => {
    const id = toKindName(kind);
    const known = targets.get(id);
    targets.set(id, {
      kind: known?.kind ?? kind,
      as: known?.as === 'object' ? 'object' : as,
      parts: both(known === undefined ? [] : known.parts, as === 'metadata' ? [] : parts),
      routes: [...(known?.routes ?? []), ...routes],
    });
  };
  for (const declaration of declarations) {
    const { name: reconciler, primary, watches, primaryWatch = itself(declaration), primaryParts } = declaration;
    const { parts: ownParts, ...own } = primaryWatch;
    add(primary, { as: own.as, parts: ownParts }, [{ reconciler, primary, ...own }]);
    for (const { source, as, parts, map, matches, expandsTo, versionOf, contentOf, contentParts } of watches) {
      const route: WatchRoute = {
        reconciler,
        primary,
        as,
        map,
        ...(matches === undefined ? {} : { selects: true }),
        ...withoutUndefined({ expandsTo, versionOf, contentOf, contentParts }),
      };
      if (source === 'referenced') {
        const name = toKindName(primary);
        referrers.set(name, toReferrer(referrers.get(name), declaration, route));
        add(primary, { as: 'object', parts: primaryParts }, []);
      } else {
        add(source, { as, parts }, [route]);
      }
    }
  }
  return { declared: [...targets.values()], referrers: [...referrers.values()] };
}

/** Several reconcilers with the same primary share the watches of the referenced kinds. */
function toReferrer(
  known: Referrer | undefined,
  { name, primary, references, primaryParts }: Declaration,
  route: WatchRoute,
): Referrer {
  if (references === undefined) {
    throw new Error(`The declaration of ${name} watches referenced kinds and has no function "references"`);
  }
  return {
    kind: primary,
    name: toKindName(primary),
    routes: [...(known?.routes ?? []), route],
    parts: both(known === undefined ? [] : known.parts, primaryParts),
    as: known?.as === 'object' ? 'object' : route.as,
    kindsOf: object => [...(known?.kindsOf(object) ?? []), ...references(object)],
  };
}

/** What to read of the objects of a kind. */
interface Reading {
  readonly as: Watch['as'];
  readonly parts?: readonly string[] | undefined;
}

function both(
  some: readonly string[] | undefined,
  others: readonly string[] | undefined,
): readonly string[] | undefined {
  return some === undefined || others === undefined ? undefined : [...new Set([...some, ...others])].toSorted();
}

/** Returns the part of a query that selects the content of the objects. */
export function toReading({ as, parts }: Reading): Pick<WatchQuery, 'as' | 'parts'> {
  return as === 'metadata' ? { as } : { as, ...withoutUndefined({ parts }) };
}

/** As `toReading`, with the fields that only `contentOf` reads. */
export function withContentParts(reading: Reading, routes: readonly WatchRoute[]): Reading {
  const more = routes.flatMap(({ contentParts = [] }) => contentParts);
  const parts = reading.as === 'metadata' ? [] : reading.parts;
  return more.length === 0 ? reading : { as: 'object', parts: both(parts, more) };
}

/** The name `Kind.group`, as in logs. It has no version, because each kind is watched in one version only. */
export function toKindName(kind: Pick<Kind, 'group' | 'kind'>): string {
  return kind.group === '' ? kind.kind : `${kind.kind}.${kind.group}`;
}

function itself(declaration: Declaration): NonNullable<Declaration['primaryWatch']> {
  const map: Watch['map'] = ({ object }) => [
    { namespace: object.metadata.namespace ?? '', name: object.metadata.name },
  ];
  const own = { as: 'metadata', parts: [], map } as const;
  if (declaration.dropsOwnStatus === undefined) {
    return own;
  }
  const contentOf = (object: Unstructured): string => contentWithoutOwnStatus(object, declaration);
  return declaration.dropsOwnStatus === 'all'
    ? { ...own, contentOf }
    : {
        ...own,
        contentOf: object => JSON.stringify([contentOf(object), conditionsOfOthers(object, declaration)]),
        contentParts: conditionPaths(declaration),
      };
}
