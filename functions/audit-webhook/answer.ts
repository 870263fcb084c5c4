// What the API server's answer in an audit event says about the object that a request changed. Pure.
import * as z from 'zod/mini';
import { groupOf, type Kind, type ObjectMeta, type Unstructured, versionOf } from '../../shared/api/object.ts';
import type { Shown } from '../../shared/event-source/map-event.ts';
import { isKind } from '../../shared/names/plural.ts';

/** The kind that a request is about, as far as it is known. */
export interface Subject {
  readonly apiVersion: string;
  /** The resource name where the kind is not known. */
  readonly kind: string;
  /** The version in which the kind's mappings read it; absent where they read metadata alone. */
  readonly version: Kind['version'] | undefined;
}

export interface ShownObject {
  readonly object: Unstructured;
  readonly shown: Shown;
}

const text = z.exactOptional(z.string());
const texts = z.exactOptional(z.record(z.string(), z.string()));

/** Longer ones would not fit into a message. */
const longestName = 253;
const longestId = 58;
const id = z.string().check(z.maxLength(longestId));

/** Loose: mappings may read more of the metadata. */
const metadataSchema = z.looseObject({
  name: z.string().check(z.minLength(1), z.maxLength(longestName)),
  namespace: z.exactOptional(z.string().check(z.maxLength(longestName))),
  uid: z._default(id, ''),
  resourceVersion: z._default(id, ''),
  deletionTimestamp: text,
  labels: texts,
  annotations: texts,
  finalizers: z.exactOptional(z.array(z.string())),
  ownerReferences: z.exactOptional(
    z.array(z.looseObject({ apiVersion: z.string(), kind: z.string(), name: z.string(), uid: z.string() })),
  ),
});

const objectSchema = z.looseObject({ apiVersion: z.string(), kind: z.string(), metadata: metadataSchema });
const listSchema = z.object({ kind: z.string().check(z.regex(/List$/)), items: z.array(z.unknown()) });

/** The objects that an answer shows; `undefined` when it shows none that can be read: a Status, a Table, nothing at all. */
export function readAnswer(answer: unknown, subject: Subject): readonly ShownObject[] | undefined {
  const list = listSchema.safeParse(answer);
  const candidates = list.success ? list.data.items : [answer];
  const objects = candidates.map(candidate => readObject(candidate, subject)).filter(object => object !== undefined);
  return objects.length === candidates.length ? objects : undefined;
}

/** What a request names when its answer shows no object. */
export function toNamed(subject: Subject, name: { readonly namespace?: string; readonly name: string }): Unstructured {
  return {
    apiVersion: subject.apiVersion,
    kind: subject.kind,
    metadata: { ...name, uid: '', resourceVersion: '' },
  };
}

/** A client may have asked for the metadata alone: https://kubernetes.io/docs/reference/using-api/api-concepts/#alternate-representations-of-resources */
const metadataOnly = { apiVersion: 'meta.k8s.io/v1', kind: 'PartialObjectMetadata' } as const;

function readObject(candidate: unknown, subject: Subject): ShownObject | undefined {
  const read = objectSchema.safeParse(candidate);
  if (!read.success) {
    return undefined;
  }
  const { apiVersion, kind, metadata, ...rest } = read.data;
  const meta: ObjectMeta = metadata;
  if (apiVersion === metadataOnly.apiVersion && kind === metadataOnly.kind) {
    const { apiVersion: of, kind: ofKind } = subject;
    return { object: { apiVersion: of, kind: ofKind, metadata: meta }, shown: 'metadata' };
  }
  if (groupOf(apiVersion) !== groupOf(subject.apiVersion) || !isKind(kind, subject.kind)) {
    return undefined;
  }
  const isReadable = subject.version === undefined || subject.version === versionOf(apiVersion);
  return { object: { ...rest, apiVersion, kind, metadata: meta }, shown: isReadable ? 'object' : 'metadata' };
}
