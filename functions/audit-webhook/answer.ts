// Reads the objects that a request changed from the response in its audit event. Pure.

import {
  groupOf,
  isKind,
  type Kind,
  type ObjectMeta,
  type Unstructured,
  versionOf,
} from '@capi-serverless/apimachinery';
import * as z from 'zod/mini';
import type { EventDetail } from '../../shared/event-source/map-event.ts';

/** The kind that a request addresses. */
export interface AuditedKind {
  readonly apiVersion: string;
  /** The resource name replaces the kind if the kind is unknown. */
  readonly kind: string;
  /** The version in which the mappings read the kind. It is absent if they read only metadata. */
  readonly version: Kind['version'] | undefined;
}

export interface ResponseObject {
  readonly object: Unstructured;
  readonly detail: EventDetail;
}

const text = z.exactOptional(z.string());
const texts = z.exactOptional(z.record(z.string(), z.string()));

/** The maximum lengths of fields in a queue message. */
const longestName = 253;
const longestId = 58;
const id = z.string().check(z.maxLength(longestId));

/** The schema is loose, because mappings may read more of the metadata. */
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

/**
 * Returns the objects in a response, or `undefined` if the response contains no readable object. Examples are a Status
 * and a Table.
 */
export function readAnswer(answer: unknown, subject: AuditedKind): readonly ResponseObject[] | undefined {
  const list = listSchema.safeParse(answer);
  const candidates = list.success ? list.data.items : [answer];
  const objects = candidates.map(candidate => readObject(candidate, subject)).filter(object => object !== undefined);
  return objects.length === candidates.length ? objects : undefined;
}

/** Returns the object that a request names. Used for responses that contain no object. */
export function toNamed(
  subject: AuditedKind,
  name: { readonly namespace?: string; readonly name: string },
): Unstructured {
  return {
    apiVersion: subject.apiVersion,
    kind: subject.kind,
    metadata: { ...name, uid: '', resourceVersion: '' },
  };
}

/** Clients may request metadata only: https://kubernetes.io/docs/reference/using-api/api-concepts/#alternate-representations-of-resources */
const metadataOnly = { apiVersion: 'meta.k8s.io/v1', kind: 'PartialObjectMetadata' } as const;

function readObject(candidate: unknown, subject: AuditedKind): ResponseObject | undefined {
  const read = objectSchema.safeParse(candidate);
  if (!read.success) {
    return undefined;
  }
  const { apiVersion, kind, metadata, ...rest } = read.data;
  const meta: ObjectMeta = metadata;
  if (apiVersion === metadataOnly.apiVersion && kind === metadataOnly.kind) {
    const { apiVersion: of, kind: ofKind } = subject;
    return { object: { apiVersion: of, kind: ofKind, metadata: meta }, detail: 'metadata' };
  }
  if (groupOf(apiVersion) !== groupOf(subject.apiVersion) || !isKind(kind, subject.kind)) {
    return undefined;
  }
  const isReadable = subject.version === undefined || subject.version === versionOf(apiVersion);
  return { object: { ...rest, apiVersion, kind, metadata: meta }, detail: isReadable ? 'object' : 'metadata' };
}
