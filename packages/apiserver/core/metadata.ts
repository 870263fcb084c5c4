// Validation of the metadata of every object (Kubernetes API conventions, "Metadata").
import { sameJson } from '@capi-serverless/apimachinery';
import type { Resource } from './kinds.ts';
import { problemOfLabelValue, problemOfName, problemOfQualifiedName } from './name-rules.ts';
import { finalizersOf, type Metadata, type ObjectDraft, type Stored } from './object.ts';
import type { CauseReason, StatusCause } from './status.ts';

const maxAnnotationBytes = 262_144;

function cause(reason: CauseReason, field: string, message: string): StatusCause {
  return { reason, field, message };
}

function invalidValue(field: string, value: string, problem: string): StatusCause {
  return cause('FieldValueInvalid', field, `Invalid value: "${value}": ${problem}`);
}

/** Returns all problems of a draft's metadata. On updates, `live` is the replaced object. */
export function problemsOfMetadata(
  draft: ObjectDraft,
  resource: Resource,
  live: Stored | undefined,
): readonly StatusCause[] {
  return [
    ...problemsOfNames(draft.metadata, resource),
    ...problemsOfLabels(draft.metadata.labels ?? {}),
    ...problemsOfAnnotations(draft.metadata.annotations ?? {}),
    ...problemsOfFinalizers(draft, resource, live),
    ...problemsOfOwners(draft.metadata),
    ...problemsOfImmutables(draft.metadata, live),
  ];
}

/** The finalizers without a domain that the server accepts. */
const standardFinalizers: readonly string[] = ['foregroundDeletion', 'orphan', 'kubernetes'];

function isBare(finalizer: string): boolean {
  return !finalizer.includes('/') && !standardFinalizers.includes(finalizer);
}

/** Returns warnings about new values that are valid but discouraged. */
export function warningsOf(draft: ObjectDraft, resource: Resource, live: Stored | undefined): readonly string[] {
  const known = live === undefined ? [] : finalizersOf(live);
  return resource.custom
    ? finalizersOf(draft)
        .filter(name => isBare(name) && !known.includes(name))
        .map(
          name =>
            `metadata.finalizers: "${name}": prefer a domain-qualified finalizer name including a path (/) to avoid accidental conflicts with other finalizer writers`,
        )
    : (resource.strategy.warnings?.(draft) ?? []);
}

function problemsOfNames(metadata: Partial<Metadata>, resource: Resource): readonly StatusCause[] {
  if (metadata.name === undefined) {
    return [cause('FieldValueRequired', 'metadata.name', 'Required value: name or generateName is required')];
  }
  const problem = problemOfName(metadata.name, resource.nameRule);
  return problem === undefined ? [] : [invalidValue('metadata.name', metadata.name, problem)];
}

function problemsOfLabels(labels: Readonly<Record<string, string>>): readonly StatusCause[] {
  return Object.entries(labels).flatMap(([key, value]) => {
    const ofKey = problemOfQualifiedName(key);
    const ofValue = problemOfLabelValue(value);
    return [
      ...(ofKey === undefined ? [] : [invalidValue('metadata.labels', key, ofKey)]),
      ...(ofValue === undefined ? [] : [invalidValue('metadata.labels', value, ofValue)]),
    ];
  });
}

function problemsOfAnnotations(annotations: Readonly<Record<string, string>>): readonly StatusCause[] {
  const entries = Object.entries(annotations);
  const wrongKeys = entries.flatMap(([key]) => {
    const problem = problemOfQualifiedName(key.toLowerCase());
    return problem === undefined ? [] : [invalidValue('metadata.annotations', key, problem)];
  });
  const bytes = entries.reduce((sum, [key, value]) => sum + byteLength(key) + byteLength(value), 0);
  const tooLong = cause(
    'FieldValueTooLong',
    'metadata.annotations',
    `Too long: may not be more than ${maxAnnotationBytes} bytes`,
  );
  return bytes > maxAnnotationBytes ? [...wrongKeys, tooLong] : wrongKeys;
}

function byteLength(value: string): number {
  return new TextEncoder().encode(value).length;
}

function problemsOfFinalizers(
  draft: ObjectDraft,
  { custom }: Resource,
  live: Stored | undefined,
): readonly StatusCause[] {
  const field = 'metadata.finalizers';
  const finalizers = finalizersOf(draft);
  const unqualified = finalizers.flatMap((name, index) =>
    custom || !isBare(name)
      ? []
      : [
          invalidValue(
            `${field}[${index}]`,
            name,
            'name is neither a standard finalizer name nor is it fully qualified',
          ),
        ],
  );
  const wrongNames = finalizers.flatMap(name => {
    const problem = problemOfQualifiedName(name);
    return problem === undefined ? [] : [invalidValue(field, name, problem)];
  });
  const kept = live === undefined ? [] : finalizersOf(live);
  const added = live?.metadata.deletionTimestamp === undefined ? [] : finalizers.filter(name => !kept.includes(name));
  const why = 'Forbidden: no new finalizers can be added if the object is being deleted, found new finalizers';
  const both = ['foregroundDeletion', 'orphan'].every(name => finalizers.includes(name))
    ? [cause('FieldValueInvalid', field, 'Invalid value: finalizer orphan and foregroundDeletion cannot be both set')]
    : [];
  return added.length === 0
    ? [...wrongNames, ...unqualified, ...both]
    : [...wrongNames, ...unqualified, ...both, cause('FieldValueForbidden', field, `${why} ${toGoList(added)}`)];
}

/** As the list is written in Go. */
function toGoList(texts: readonly string[]): string {
  return `[]string{${texts.map(text => JSON.stringify(text)).join(', ')}}`;
}

function problemsOfOwners(metadata: Partial<Metadata>): readonly StatusCause[] {
  const owners = metadata.ownerReferences ?? [];
  const empty = owners.flatMap(owner =>
    (['apiVersion', 'kind', 'name', 'uid'] as const)
      .filter(member => owner[member] === undefined)
      .map(member =>
        cause('FieldValueInvalid', `metadata.ownerReferences.${member}`, 'Invalid value: "": must not be empty'),
      ),
  );
  const events = owners
    .filter(owner => owner.apiVersion === 'v1' && owner.kind === 'Event')
    .map(() =>
      cause(
        'FieldValueInvalid',
        'metadata.ownerReferences',
        'Invalid value: v1, Kind=Event is disallowed from being an owner',
      ),
    );
  const problems = [...empty, ...events];
  const controllers = owners.filter(owner => owner.controller === true);
  const [first, second] = controllers;
  if (first === undefined || second === undefined) {
    return problems;
  }
  const why = `only one reference can have Controller set to true, found "true" in references for ${first.name} and ${second.name}`;
  return [...problems, cause('FieldValueInvalid', 'metadata.ownerReferences', `Invalid value: ${why}`)];
}

function problemsOfImmutables(metadata: Partial<Metadata>, live: Stored | undefined): readonly StatusCause[] {
  if (live === undefined) {
    return [];
  }
  const members = ['uid', 'deletionTimestamp'] as const;
  return members
    .filter(member => !sameJson(metadata[member], live.metadata[member]))
    .map(member => invalidValue(`metadata.${member}`, metadata[member] ?? '', 'field is immutable'));
}
