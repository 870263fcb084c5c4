// Whether an apply changes anything, told from two dry runs of the API server: of the intent, and of what is there. Both go through
// today's defaulting and webhooks, so what those would change anyway is no change of ours.
import { sameJson } from '../../api/json.ts';
import type { Intent, Unstructured } from '../../api/object.ts';
import { isOwnApply, managedFieldsOf } from '../managed-fields.ts';
import { conversionDataAnnotation, dryRunAnnotation } from '../model/keys.ts';
import { type Path, toIntent, withoutPath } from './filter.ts';

export interface DryRunPair {
  /** What shall be. */
  readonly modified: Intent;
  /** What is there, as if the topology wanted all of it. */
  readonly original: Intent;
}

/** `specChanges` implies `changes`. */
export interface Difference {
  readonly changes: boolean;
  readonly specChanges: boolean;
}

/** What to send, with the uid of `current`. Both carry the mark by which webhooks let changes of immutable templates pass. */
export function toDryRuns(intent: Intent, current: Unstructured, ignored: readonly Path[] = []): DryRunPair {
  const { apiVersion, kind, metadata, spec } = current;
  const seen: Intent = { apiVersion, kind, metadata: { ...metadata }, ...(spec === undefined ? {} : { spec }) };
  return { modified: marked(intent), original: toIntent(marked(seen), ignored) };
}

function marked(object: Intent): Intent {
  const annotations = { ...object.metadata.annotations, [dryRunAnnotation]: '' };
  return { ...object, metadata: { ...object.metadata, annotations } };
}

/** From the answers to both. Who owns what counts, too; the owners of `original` are those of `current`, not of its dry run. */
export function compareDryRuns(
  answers: { readonly modified: Unstructured; readonly original: Unstructured },
  current: Unstructured,
  ignored: readonly Path[] = [],
): Difference {
  const modified = toComparable(answers.modified, ignored);
  const original = toComparable(answers.original, ignored);
  const specChanges = !sameJson(modified['spec'], original['spec']);
  const changes =
    specChanges || !sameJson(modified, original) || !sameJson(ownFields(answers.modified), ownFields(current));
  return { changes, specChanges };
}

const passingAnnotations = [dryRunAnnotation, conversionDataAnnotation];

function toComparable({ apiVersion, kind, metadata, spec }: Unstructured, ignored: readonly Path[]): Intent {
  const object: Intent = { apiVersion, kind, metadata: { ...metadata }, ...(spec === undefined ? {} : { spec }) };
  const paths = passingAnnotations.map(annotation => ['metadata', 'annotations', annotation]);
  return paths.reduce(withoutPath, toIntent(object, ignored));
}

/** What the topology owns by apply, less what only dry runs carry; by version, as another one would be recorded anew. */
function ownFields(object: Unstructured): readonly object[] {
  const paths = passingAnnotations.map(annotation => ['f:metadata', 'f:annotations', `f:${annotation}`]);
  return managedFieldsOf(object)
    .filter(isOwnApply)
    .map(({ apiVersion, fieldsV1 }) => ({ apiVersion, fieldsV1: paths.reduce(withoutPath, fieldsV1) }));
}
