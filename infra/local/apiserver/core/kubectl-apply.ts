// kubectl goes over from client-side to server-side apply: what its annotation proves to be its own is no conflict, and
// the annotation keeps telling what was applied last.
// https://kubernetes.io/docs/reference/using-api/server-side-apply/#migration-between-client-side-and-server-side-apply

import { memberOf } from '../../../../shared/api/json.ts';
import { compare } from './apply/compare.ts';
import { difference, type Fields, pathsOf } from './apply/field-set.ts';
import { fieldsOf } from './apply/fields-of-value.ts';
import type { MergeType } from './apply/merge-type.ts';
import { toPathText } from './apply/path-element.ts';
import { isObject, type JsonObject, without } from './json.ts';

/** The only manager who may have applied on the client's side before. */
export const kubectl = 'kubectl';

const lastApplied = 'kubectl.kubernetes.io/last-applied-configuration';

/** The annotation may not be longer than all annotations together. */
const maxAnnotationBytes = 262_144;

function lastAppliedIn(object: JsonObject): string | undefined {
  const text = memberOf(memberOf(object['metadata'], 'annotations'), lastApplied);
  return typeof text === 'string' && text !== '' ? text : undefined;
}

/** Fields, as conflicts tell them, that the object still has as the client applied them. */
export function appliedByClient(live: JsonObject, type: MergeType): ReadonlySet<string> {
  const applied = parse(lastAppliedIn(live));
  if (!isObject(applied) || applied['apiVersion'] !== live['apiVersion']) {
    return new Set();
  }
  const { added, modified, removed } = compare(type, applied, live);
  const unchanged = [added, modified, removed].reduce<Fields>(difference, fieldsOf(type, applied));
  return new Set(pathsOf(unchanged).map(toPathText));
}

function parse(text: string | undefined): unknown {
  try {
    return text === undefined ? undefined : JSON.parse(text);
  } catch {
    // Somebody else wrote it: it proves nothing.
    return undefined;
  }
}

/** The merged object, whose annotation tells of the intent where it had told of an earlier one. */
export function withLastApplied(merged: JsonObject, intent: JsonObject): JsonObject {
  if (lastAppliedIn(merged) === undefined) {
    return merged;
  }
  const text = `${JSON.stringify(withoutAnnotation(intent))}\n`;
  const fits = new TextEncoder().encode(text).length <= maxAnnotationBytes;
  const { annotations, metadata } = annotationsOf(merged);
  const next = fits ? { ...annotations, [lastApplied]: text } : without(annotations, lastApplied);
  return { ...merged, metadata: { ...metadata, annotations: next } };
}

function withoutAnnotation(intent: JsonObject): JsonObject {
  const { annotations, metadata } = annotationsOf(intent);
  return Object.hasOwn(annotations, lastApplied)
    ? { ...intent, metadata: { ...metadata, annotations: without(annotations, lastApplied) } }
    : intent;
}

function annotationsOf(object: JsonObject): { readonly metadata: JsonObject; readonly annotations: JsonObject } {
  const metadata = isObject(object['metadata']) ? object['metadata'] : {};
  return { metadata, annotations: isObject(metadata['annotations']) ? metadata['annotations'] : {} };
}
