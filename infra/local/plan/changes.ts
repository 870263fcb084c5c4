// What a write changes of an object, as a user thinks of it. Pure.
import type { PartialObject } from '../../../shared/api/object.ts';
import { redact } from './redact.ts';
import { type Difference, differencesOf } from './status-diff.ts';

type Shown = Readonly<Record<string, unknown>> & Pick<PartialObject, 'metadata'>;

/** Without what the API server counts and keeps account of; values of Secrets are not shown. */
export function changesOf(before: Shown | undefined, after: Shown | undefined, kind: string): readonly Difference[] {
  const [left, right] = [before, after].map(object => (object === undefined ? {} : redact(kind, toShown(object))));
  return Object.keys({ ...left, ...right }).flatMap(field => differencesOf(left?.[field], right?.[field], field));
}

function toShown({ metadata, ...members }: Shown): Readonly<Record<string, unknown>> {
  const { labels, annotations, ownerReferences, finalizers } = metadata;
  const { status: _, ...rest } = members;
  return { ...rest, metadata: { labels, annotations, ownerReferences, finalizers } };
}
