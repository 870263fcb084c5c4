// Removes values that differ between runs from an object: identities, versions, times and namespaces.
import type { Unstructured } from '@capi-serverless/apimachinery';

/** Also within messages: a wait says when it started. */
const times = /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z/g;
/** Conditions say how long a deletion lasts. A killed invocation makes it longer. */
const durations = / since more than \d+m/g;
const dropped = ['uid', 'resourceVersion', 'creationTimestamp', 'managedFields'];

export function normalise(object: Unstructured | undefined): unknown {
  const namespace = object?.metadata.namespace ?? '';
  const visit = (value: unknown): unknown => {
    if (Array.isArray(value)) {
      return value.map(visit);
    }
    if (typeof value === 'object' && value !== null) {
      const fields = Object.entries(value).filter(([field]) => !dropped.includes(field));
      return Object.fromEntries(
        fields.sort(([a], [b]) => a.localeCompare(b)).map(([field, inner]) => [field, visit(inner)]),
      );
    }
    if (typeof value === 'string') {
      const text = value.replaceAll(durations, '').replaceAll(times, '<time>');
      return namespace === '' ? text : text.replaceAll(namespace, '<namespace>');
    }
    return value;
  };
  return visit(object);
}
