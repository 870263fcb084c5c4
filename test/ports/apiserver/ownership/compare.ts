// Compares two servers after the same write: object, field ownership, or refusal.
import type { Unstructured } from '@capi-serverless/apimachinery';
import type { RawAnswer } from '../../../support/raw-http.ts';
import { entriesOf } from '../applied.ts';

type Seen = Readonly<Record<string, unknown>>;

interface Failure {
  readonly reason?: string;
  readonly details?: { readonly causes?: readonly { readonly reason: string; readonly field?: string }[] };
}

/** Names, versions and times differ between servers. */
export function toSeen({ status, body, text }: RawAnswer): Seen {
  if (status >= 300) {
    const { reason, details } = (body ?? {}) as Failure; // true: it is a Status
    const causes = (details?.causes ?? []).map(cause => `${cause.reason} ${cause.field}`);
    // Kubernetes versions differ in the number of type violations that they report, and in their order.
    return status === 500
      ? { status }
      : { status, reason, causes: [...new Set(causes)].toSorted(), ...(body === undefined ? { text } : {}) };
  }
  const object = body as Unstructured; // True: a successful write returns an object.
  const {
    name: _,
    namespace: __,
    uid: ___,
    creationTimestamp: ____,
    resourceVersion: _____,
    ...metadata
  } = object.metadata;
  const entries = entriesOf(object).map(({ time: _time, ...entry }) => entry);
  return {
    status,
    object: { ...object, metadata: { ...metadata, managedFields: entries.toSorted(byOwner) } },
  };
}

function byOwner(left: object, right: object): number {
  const [one, other] = [left, right].map(entry => JSON.stringify(entry));
  return one === other ? 0 : (one ?? '') < (other ?? '') ? -1 : 1;
}

export function versionOf({ body }: RawAnswer): string | undefined {
  return (body as Partial<Unstructured> | undefined)?.metadata?.resourceVersion; // true: it is an object or a Status
}
