// Maps the group and resource of an audit event to the watches of the declarations.
import { type Kind, pluralOf, toApiVersion } from '@capi-serverless/apimachinery';
import type { Declaration } from '@capi-serverless/reconciler';
import type { Origin } from '../../shared/event-source/router.ts';
import { toKindName, toWatchSet, type WatchTarget } from '../../shared/event-source/watch-set.ts';
import type { AuditedKind } from './answer.ts';
import type { AuditEvent } from './event.ts';

export interface AuditSource {
  readonly subject: AuditedKind;
  /** One kind may be both declared as a watch and referenced by others. */
  readonly origins: readonly Origin[];
}

export interface AuditSources {
  /** Returns `undefined` if no reconciler watches the resource. */
  find(of: NonNullable<AuditEvent['objectRef']>): AuditSource | undefined;
}

/**
 * `providerGroups`: Clusters and Machines may reference every kind of these groups. This function does not read them, so
 * it treats all these kinds as referenced by each of them.
 */
export function createAuditSources(
  declarations: readonly Declaration[],
  providerGroups: readonly string[],
): AuditSources {
  const { declared, referrers } = toWatchSet(declarations);
  const referenced = referrers.flatMap(({ routes }) => routes);
  const byResource = new Map(declared.map(target => [toResourceName(target.kind), target]));
  const groups = new Set(referenced.length === 0 ? [] : providerGroups);
  return {
    find({ apiGroup: group = '', apiVersion: version = '', resource }) {
      const target = byResource.get(`${resource}.${group}`);
      const origins = [
        ...(target === undefined ? [] : [toDeclaredOrigin(target)]),
        ...(groups.has(group)
          ? [{ name: toKindName({ group, kind: resource }), origin: 'referenced' as const, routes: referenced }]
          : []),
      ];
      if (origins.length === 0) {
        return undefined;
      }
      const subject =
        target === undefined
          ? { apiVersion: toApiVersion({ group, version }), kind: resource, version: undefined }
          : { apiVersion: toApiVersion(target.kind), kind: target.kind.kind, version: target.kind.version };
      return { subject, origins };
    },
  };
}

function toResourceName({ group, kind }: Kind): string {
  return `${pluralOf(kind)}.${group}`;
}

function toDeclaredOrigin({ kind, routes }: WatchTarget): Origin {
  return { name: toKindName(kind), origin: 'declared', routes };
}
