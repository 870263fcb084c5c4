// Determines with two dry runs whether an apply changes something. One applies the intent, the other the current
// object. Defaulting and webhooks change both in the same way, so their changes cancel out.

import { type Intent, sameJson, type Unstructured, withoutUndefined } from '@capi-serverless/apimachinery';
import { isApplyOf, managedFieldsOf } from '../../../../shared/server-side-apply/managed-fields.ts';
import { conversionDataAnnotation, dryRunAnnotation, topologyManager } from '../../../../shared/topology/model/keys.ts';
import { type Path, toIntent, withoutPath } from './filter.ts';

export interface DryRunPair {
  /** The desired object. */
  readonly modified: Intent;
  /** The current object as an apply of the topology. */
  readonly original: Intent;
}

/** `specChanges` implies `changes`. */
export interface DryRunDifference {
  readonly changes: boolean;
  readonly specChanges: boolean;
}

/**
 * Returns the requests with the uid of `current`. Both have the annotation that lets webhooks admit changes of
 * immutable templates.
 */
export function toDryRuns(intent: Intent, current: Unstructured, ignored: readonly Path[] = []): DryRunPair {
  const { apiVersion, kind, metadata, spec } = current;
  const seen: Intent = { apiVersion, kind, metadata: { ...metadata }, ...withoutUndefined({ spec }) };
  return { modified: marked(intent), original: toIntent(marked(seen), ignored) };
}

function marked(object: Intent): Intent {
  const annotations = { ...object.metadata.annotations, [dryRunAnnotation]: '' };
  return { ...object, metadata: { ...object.metadata, annotations } };
}

/** Compares the answers, including owners. The owners of `original` come from `current`, not from its dry run. */
export function compareDryRuns(
  answers: { readonly modified: Unstructured; readonly original: Unstructured },
  current: Unstructured,
  ignored: readonly Path[] = [],
): DryRunDifference {
  const modified = toComparable(answers.modified, ignored);
  const original = toComparable(answers.original, ignored);
  const specChanges = !sameJson(modified['spec'], original['spec']);
  const changes =
    specChanges || !sameJson(modified, original) || !sameJson(ownFields(answers.modified), ownFields(current));
  return { changes, specChanges };
}

const passingAnnotations = [dryRunAnnotation, conversionDataAnnotation];

function toComparable({ apiVersion, kind, metadata, spec }: Unstructured, ignored: readonly Path[]): Intent {
  const object: Intent = { apiVersion, kind, metadata: { ...metadata }, ...withoutUndefined({ spec }) };
  const paths = passingAnnotations.map(annotation => ['metadata', 'annotations', annotation]);
  return paths.reduce(withoutPath, toIntent(object, ignored));
}

/**
 * Returns the fields that the topology owns by apply, without those of dry runs. Each version has a separate record.
 */
function ownFields(object: Unstructured): readonly object[] {
  const paths = passingAnnotations.map(annotation => ['f:metadata', 'f:annotations', `f:${annotation}`]);
  return managedFieldsOf(object)
    .filter(isApplyOf(topologyManager))
    .map(({ apiVersion, fieldsV1 }) => ({ apiVersion, fieldsV1: paths.reduce(withoutPath, fieldsV1) }));
}
