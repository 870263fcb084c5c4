// Removes the values of Secrets. Only their existence and their keys remain. Pure.
import { isJsonObject } from '@capi-serverless/apimachinery';

const hidden = '(redacted)';

/** Returns the body of a write to an object of this kind, without the values of a Secret. */
export function redact(kind: string, body: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  if (kind !== 'Secret') {
    return body;
  }
  const fields = Object.entries(body).map(([field, value]) => [field, isShown(field) ? value : hide(value)]);
  return withHiddenAnnotations(Object.fromEntries(fields));
}

function isShown(field: string): boolean {
  return ['apiVersion', 'kind', 'metadata', 'type'].includes(field);
}

function hide(value: unknown): unknown {
  return isJsonObject(value)
    ? Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, inner === null ? null : hidden]))
    : hidden;
}

/** kubectl stores a copy of the applied object in an annotation. */
function withHiddenAnnotations(body: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const { metadata } = body;
  return isJsonObject(metadata) && metadata['annotations'] !== undefined
    ? { ...body, metadata: { ...metadata, annotations: hide(metadata['annotations']) } }
    : body;
}
