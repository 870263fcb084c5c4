// The verdict about a write, in a form that two implementations can be compared by.
import type { JsonObject } from '@capi-serverless/apimachinery';

interface Cause {
  readonly reason: string;
  readonly field: string;
  readonly message: string;
}

export type Verdict =
  /** Allowed, with the object that is stored. */
  | { readonly object: JsonObject }
  | { readonly code: number; readonly message: string; readonly causes: readonly Cause[] };

/** The comparison of two specs has no fixed form. */
const difference = /( spec is immutable\. Diff: ).*/s;

/**
 * Upstream walks the labels of a template in random order, so causes are sorted, and the message is compared only without
 * causes. An empty metadata of a template is not compared: upstream writes one, which the schema then refuses.
 */
export function comparable(verdict: Verdict): unknown {
  if ('object' in verdict) {
    return withoutEmptyMetadata(verdict.object);
  }
  const { code, message, causes } = verdict;
  return causes.length === 0
    ? { code, message: message.replace(difference, '$1') }
    : { code, causes: causes.map(({ reason, field, message: text }) => `${field}: ${reason}: ${text}`).toSorted() };
}

function withoutEmptyMetadata(object: JsonObject): JsonObject {
  const spec = Object(object['spec']);
  const template = Object(spec.template);
  const isEmpty = template.metadata !== undefined && Object.keys(template.metadata).length === 0;
  const { metadata: _, ...others } = template;
  return isEmpty ? { ...object, spec: { ...spec, template: others } } : object;
}
