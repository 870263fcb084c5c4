// The conditions of a namespace in deletion: what keeps it, as the namespace controller of Kubernetes reports it. Pure.
import { compareText, isJsonObject, type JsonObject, memberOf, sameJson } from '@capi-serverless/apimachinery';
import type { Resource } from './kinds.ts';
import { finalizersOf, type Stored } from './object.ts';

interface Remaining {
  readonly resource: Pick<Resource, 'group' | 'plural'>;
  readonly object: Stored;
}

interface Condition {
  readonly type: string;
  readonly status: 'True' | 'False';
  readonly reason: string;
  readonly message: string;
}

/** This server always finds and deletes the content. */
const never: readonly Condition[] = [
  {
    type: 'NamespaceDeletionDiscoveryFailure',
    status: 'False',
    reason: 'ResourcesDiscovered',
    message: 'All resources successfully discovered',
  },
  {
    type: 'NamespaceDeletionGroupVersionParsingFailure',
    status: 'False',
    reason: 'ParsedGroupVersions',
    message: 'All legacy kube types successfully parsed',
  },
  {
    type: 'NamespaceDeletionContentFailure',
    status: 'False',
    reason: 'ContentDeleted',
    message: 'All content successfully deleted, may be waiting on finalization',
  },
];

function contentCondition(remaining: readonly Remaining[]): Condition {
  const counts = countBy(remaining.map(({ resource: { group, plural } }) => `${plural}.${group}`));
  return toCondition('NamespaceContentRemaining', {
    parts: counts.map(([name, count]) => `${name} has ${count} resource instances`),
    some: ['SomeResourcesRemain', 'Some resources are remaining'],
    none: ['ContentRemoved', 'All content successfully removed'],
  });
}

function finalizersCondition(remaining: readonly Remaining[]): Condition {
  const counts = countBy(remaining.flatMap(({ object }) => finalizersOf(object)));
  return toCondition('NamespaceFinalizersRemaining', {
    parts: counts.map(([name, count]) => `${name} in ${count} resource instances`),
    some: ['SomeFinalizersRemain', 'Some content in the namespace has finalizers remaining'],
    none: ['ContentHasNoFinalizers', 'All content-preserving finalizers finished'],
  });
}

type ReasonAndText = readonly [reason: string, text: string];

interface Found {
  readonly parts: readonly string[];
  readonly some: ReasonAndText;
  readonly none: ReasonAndText;
}

function toCondition(type: string, { parts, some, none }: Found): Condition {
  const isTrue = parts.length > 0;
  const [reason, text] = isTrue ? some : none;
  return {
    type,
    status: isTrue ? 'True' : 'False',
    reason,
    message: isTrue ? `${text}: ${parts.join(', ')}` : text,
  };
}

/** Sorted by name. */
function countBy(names: readonly string[]): readonly (readonly [name: string, count: number])[] {
  const counts = new Map<string, number>();
  for (const name of names) {
    counts.set(name, (counts.get(name) ?? 0) + 1);
  }
  return [...counts].toSorted(([a], [b]) => compareText(a, b));
}

/**
 * Returns the namespace with the conditions about the objects that remain in it, or `undefined` if it has them already.
 * `time` is the time of a transition.
 */
export function withRemaining(namespace: Stored, remaining: readonly Remaining[], time: string): Stored | undefined {
  const stored = memberOf(namespace.status, 'conditions');
  const known: readonly JsonObject[] = Array.isArray(stored) ? stored.filter(isJsonObject) : [];
  const conditions = [...never, contentCondition(remaining), finalizersCondition(remaining)].map(condition => {
    const before = known.find(({ type }) => type === condition.type);
    const isSame = before !== undefined && before['status'] === condition.status;
    return { ...condition, lastTransitionTime: (isSame && before['lastTransitionTime']) || time };
  });
  const status = { ...(isJsonObject(namespace.status) ? namespace.status : {}), conditions };
  return sameJson(status, namespace.status) ? undefined : { ...namespace, status };
}
