// The objects to plan for changed files: those of the files, and those that an event of a changed object enqueues.

import {
  groupOf,
  isJsonObject,
  type ListQuery,
  type Name,
  type ObjectRef,
  type Reads,
  toApiVersion,
  toRef,
  type Unstructured,
} from '@capi-serverless/apimachinery';
import type { Declaration, Watch } from '@capi-serverless/reconciler';
import { UsageError } from '../../local/usage-error.ts';
import { toPrimaryRef } from '../arguments.ts';
import type { Plannable } from './plan.ts';

/** The maximum number of plans of one command. */
const mostPlans = 1000;

const core = 'cluster.x-k8s.io/v1beta2';

/**
 * Returns the primaries in their order by name. The watches of the reconciler decide, as they do for event sources. A
 * changed template counts as a change of the classes that reference it. Throws UsageError for more than 1,000 primaries,
 * and if they cannot be listed.
 */
export async function affectedBy(
  changed: readonly Unstructured[],
  { declaration, concerns }: Pick<Plannable, 'declaration' | 'concerns'>,
  reads: Reads,
): Promise<readonly ObjectRef[]> {
  if (changed.length === 0) {
    return [];
  }
  const { primary } = declaration;
  const primaries = (await listed(reads, { apiVersion: toApiVersion(primary), kind: primary.kind })).filter(concerns);
  const classes = changed.some(({ kind }) => kind.endsWith('Template'))
    ? await listed(reads, { apiVersion: core, kind: 'ClusterClass' })
    : [];
  const sources = [...changed, ...classes.filter(each => changed.some(template => refersTo(each, template)))];
  const names = new Set(sources.flatMap(source => enqueuedBy(source, declaration, primaries)).map(toKey));
  const isChanged = (object: Unstructured): boolean =>
    changed.some(
      ({ kind, apiVersion, metadata }) =>
        isSameKind({ kind, apiVersion }, primary) && toKey(metadata) === toKey(object.metadata),
    );
  const affected = primaries.filter(object => isChanged(object) || names.has(toKey(object.metadata)));
  if (affected.length > mostPlans) {
    throw new UsageError(
      `The files change what ${affected.length} objects of ${primary.kind} depend on, more than ${mostPlans}; name one of them`,
    );
  }
  return affected
    .map(object => toPrimaryRef(declaration, toName(toRef(object))))
    .toSorted((left, right) => (toKey(left) < toKey(right) ? -1 : 1));
}

async function listed(reads: Reads, query: ListQuery): Promise<readonly Unstructured[]> {
  const answer = await reads.list(query);
  if (!answer.ok) {
    throw new UsageError(`Objects of ${query.kind} cannot be listed: ${answer.failure.message}`);
  }
  return answer.value;
}

function enqueuedBy(
  source: Unstructured,
  { watches }: Declaration,
  primaries: readonly Unstructured[],
): readonly Name[] {
  return watches
    .filter(watch => concernsSource(watch, source))
    .flatMap(watch => {
      const names = watch.map({ type: 'MODIFIED', object: source });
      return names === 'expand'
        ? primaries
            .filter(primary => watch.matches?.(primary, toRef(source)) === true)
            .map(({ metadata }) => toName(metadata))
        : names;
    });
}

/** Provider kinds are referenced. */
function concernsSource({ source }: Watch, object: Unstructured): boolean {
  return source === 'referenced' ? groupOf(object.apiVersion) !== groupOf(core) : isSameKind(object, source);
}

function isSameKind(
  object: Pick<Unstructured, 'apiVersion' | 'kind'>,
  { group, kind }: { readonly group: string; readonly kind: string },
): boolean {
  return object.kind === kind && groupOf(object.apiVersion) === group;
}

/** References to templates are in the namespace of the class. */
function refersTo(clusterClass: Unstructured, { apiVersion, kind, metadata }: Unstructured): boolean {
  const isReference = (value: unknown): boolean =>
    isJsonObject(value) &&
    value['kind'] === kind &&
    value['name'] === metadata.name &&
    groupOf(String(value['apiVersion'])) === groupOf(apiVersion);
  const holds = (value: unknown): boolean =>
    isReference(value) || (typeof value === 'object' && value !== null && Object.values(value).some(holds));
  return clusterClass.metadata.namespace === metadata.namespace && holds(clusterClass.spec);
}

function toName({ namespace = '', name }: { readonly namespace?: string; readonly name: string }): Name {
  return { namespace, name };
}

function toKey({ namespace = '', name }: { readonly namespace?: string; readonly name: string }): string {
  return `${namespace}/${name}`;
}
