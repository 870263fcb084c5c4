// The changes of a write to an object, without bookkeeping fields. Pure.
import type { PartialObject } from '@capi-serverless/apimachinery';
import { redact } from './redact.ts';
import { differencesOf, type StatusDifference } from './status-diff.ts';

type ComparableObject = Readonly<Record<string, unknown>> & Pick<PartialObject, 'metadata'>;

/** Fields that the API server maintains are excluded. Values of Secrets are hidden. */
export function changesOf(
  before: ComparableObject | undefined,
  after: ComparableObject | undefined,
  kind: string,
): readonly StatusDifference[] {
  const [left, right] = [before, after].map(object => (object === undefined ? {} : redact(kind, toComparable(object))));
  return Object.keys({ ...left, ...right }).flatMap(field => differencesOf(left?.[field], right?.[field], field));
}

function toComparable({ metadata, ...members }: ComparableObject): Readonly<Record<string, unknown>> {
  const { labels, annotations, ownerReferences, finalizers } = metadata;
  const { status: _, ...rest } = members;
  return { ...rest, metadata: { labels, annotations, ownerReferences, finalizers } };
}
