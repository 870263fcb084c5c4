// Migration of kubectl from client-side to server-side apply. Fields in the kubectl annotation cause no conflict, and
// the annotation is updated to the last applied intent.
// https://kubernetes.io/docs/reference/using-api/server-side-apply/#migration-between-client-side-and-server-side-apply

import { isJsonObject, type JsonObject, memberOf } from '@capi-serverless/apimachinery';
import { compare } from './apply/compare.ts';
import { difference, type OptionalFieldSet, pathsOf } from './apply/field-set.ts';
import { fieldsOf } from './apply/fields-of-value.ts';
import type { MergeType } from './apply/merge-type.ts';
import { toPathText } from './apply/path-element.ts';
import { without } from './json.ts';

/** The only manager with an earlier client-side apply. */
export const kubectl = 'kubectl';

const lastApplied = 'kubectl.kubernetes.io/last-applied-configuration';

/** The limit of all annotations together also applies to this annotation. */
const maxAnnotationBytes = 262_144;

function lastAppliedIn(object: JsonObject): string | undefined {
  const text = memberOf(memberOf(object['metadata'], 'annotations'), lastApplied);
  return typeof text === 'string' && text !== '' ? text : undefined;
}

/**
 * Returns fields, in the notation of conflicts, whose value in the object is still the value that the client applied.
 */
export function appliedByClient(live: JsonObject, type: MergeType): ReadonlySet<string> {
  const applied = parse(lastAppliedIn(live));
  if (!isJsonObject(applied) || applied['apiVersion'] !== live['apiVersion']) {
    return new Set();
  }
  const { added, modified, removed } = compare(type, applied, live);
  const unchanged = [added, modified, removed].reduce<OptionalFieldSet>(difference, fieldsOf(type, applied));
  return new Set(pathsOf(unchanged).map(toPathText));
}

function parse(text: string | undefined): unknown {
  try {
    return text === undefined ? undefined : JSON.parse(text);
  } catch {
    // Another manager wrote the annotation, so it is not used.
    return undefined;
  }
}

/** Returns the merged object. If it has the annotation of an earlier intent, the annotation is updated. */
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
  const metadata = isJsonObject(object['metadata']) ? object['metadata'] : {};
  return { metadata, annotations: isJsonObject(metadata['annotations']) ? metadata['annotations'] : {} };
}
