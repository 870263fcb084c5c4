// kubectl commands that messages recommend. Pure.
import type { Unstructured } from '@capi-serverless/apimachinery';

/** Returns the `kubectl annotate` command for one object. */
export function annotate(object: Unstructured, change: string): string {
  const { name, namespace } = object.metadata;
  const place = namespace === undefined ? '' : `-n ${namespace} `;
  return `kubectl annotate ${object.kind.toLowerCase()} ${place}${name} ${change}`;
}
