// Schema of an audit event: only the fields that this function reads. Other fields are ignored.
// https://kubernetes.io/docs/reference/config-api/apiserver-audit.v1/#audit-k8s-io-v1-Event
import * as z from 'zod/mini';

export const auditApiVersion = 'audit.k8s.io/v1';

/** The maximum length of Kubernetes names and namespaces. The queue message parser refuses longer ones. */
const longestName = 253;
const text = z.optional(z.string().check(z.maxLength(longestName)));

const eventSchema = z.object({
  auditID: z.string().check(z.minLength(1)),
  stage: z.string().check(z.minLength(1)),
  verb: z.string().check(z.minLength(1)),
  /** The path and query of the request. */
  requestURI: z.string(),
  /** Absent for requests that are not about a resource. */
  objectRef: z.optional(
    z.object({
      resource: z.string().check(z.minLength(1), z.maxLength(longestName)),
      namespace: text,
      name: text,
      apiGroup: text,
      apiVersion: text,
    }),
  ),
  responseStatus: z.optional(z.object({ code: z.optional(z.int()) })),
  /** Present at audit levels Request and RequestResponse. */
  requestObject: z.optional(z.unknown()),
  /** Present at audit level RequestResponse. */
  responseObject: z.optional(z.unknown()),
});

export type AuditEvent = z.infer<typeof eventSchema>;

/** Returns `undefined` if the value is not an audit event. */
export function parseAuditEvent(value: unknown): AuditEvent | undefined {
  return eventSchema.safeParse(value).data;
}

const listSchema = z.object({
  apiVersion: z.literal(auditApiVersion),
  kind: z.literal('EventList'),
  // Go encodes an empty list as null.
  items: z.nullish(z.array(z.unknown())),
});

/** Returns the unparsed items of an EventList, or `undefined` if the value is not an EventList. */
export function parseEventList(value: unknown): readonly unknown[] | undefined {
  const list = listSchema.safeParse(value);
  return list.success ? (list.data.items ?? []) : undefined;
}
