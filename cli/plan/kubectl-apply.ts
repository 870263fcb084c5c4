// The result of `kubectl apply` on an object, as kubectl computes it for custom resources: a JSON merge patch of the
// manifest and of the fields that only the previous manifest has. Pure.
// https://kubernetes.io/docs/tasks/manage-kubernetes-objects/declarative-config/#how-apply-calculates-differences-and-merges-changes

import {
  type Intent,
  isJsonObject,
  type JsonObject,
  type MergePatch,
  memberOf,
  mergeDiff,
  toRecord,
  type Unstructured,
} from '@capi-serverless/apimachinery';
import { applyMergePatch } from '@capi-serverless/apimachinery/json-patch';
import type { GivenObject } from './files.ts';

/** kubectl records the manifest of an apply here. */
const lastApplied = 'kubectl.kubernetes.io/last-applied-configuration';

/** Fields of metadata that a write does not change. Manifests that were read from a server contain them. */
const serverFields: ReadonlySet<string> = new Set([
  'creationTimestamp',
  'deletionGracePeriodSeconds',
  'deletionTimestamp',
  'generation',
  'managedFields',
  'resourceVersion',
  'selfLink',
  'uid',
]);

export interface AppliedManifest {
  /** The object after the apply, without defaults of new fields. */
  readonly merged: Unstructured;
  /** `undefined` if nothing would change. */
  readonly patch: MergePatch | undefined;
}

/** The manifest as an apply sends it: without status and without fields that only the server sets. */
export function toSent({ metadata, status: _, ...manifest }: GivenObject): Intent {
  const { name, ...own } = metadata;
  const sent = Object.entries(own).filter(([field]) => !serverFields.has(field));
  return { ...manifest, metadata: { name, ...Object.fromEntries(sent) } };
}

/** Lists are replaced whole. The annotation of kubectl stays as it is. */
export function applyManifest(live: Unstructured, manifest: GivenObject): AppliedManifest {
  const sent = toSent(manifest);
  const kept = applyMergePatch(live, removalsOf(previousManifest(live), { ...sent }));
  // True: the result of a merge of two objects with metadata is an object with metadata.
  const merged = applyMergePatch(kept, { ...sent }) as Unstructured;
  return { merged, patch: mergeDiff({ ...live }, { ...merged }) };
}

/** Without the annotation, nothing is removed. */
function previousManifest({ metadata: { annotations = {} } }: Unstructured): JsonObject {
  try {
    const { status: _, ...previous } = toRecord(JSON.parse(annotations[lastApplied] ?? '{}'));
    return previous;
  } catch {
    // Another client wrote the annotation. kubectl refuses such objects; here nothing is removed.
    return {};
  }
}

/** A null for each member of `previous` that `next` does not have. */
function removalsOf(previous: JsonObject, next: JsonObject): MergePatch {
  const members = Object.entries(previous).flatMap(([key, value]): readonly (readonly [string, unknown])[] => {
    const given = memberOf(next, key);
    if (given === undefined) {
      return [[key, null]];
    }
    return isJsonObject(value) && isJsonObject(given) ? [[key, removalsOf(value, given)]] : [];
  });
  return Object.fromEntries(members);
}
