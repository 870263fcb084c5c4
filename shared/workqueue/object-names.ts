// The names that an API server accepts for the objects of custom kinds and their namespaces. Messages with other names
// are neither sent nor retried, because no such object can exist.
// https://kubernetes.io/docs/concepts/overview/working-with-objects/names/
import { dns1123LabelProblems, type Name, problemsOfSubdomain } from '@capi-serverless/apimachinery';

const longestName = 253;

/** Returns true for a DNS-1123 subdomain. The namespace must be a DNS-1123 label, or "" for cluster-scoped kinds. */
export function isObjectName({ namespace, name }: Name): boolean {
  const isNamespace =
    namespace === '' || (namespace.length <= longestName && dns1123LabelProblems(namespace).length === 0);
  return isNamespace && name.length <= longestName && problemsOfSubdomain(name).length === 0;
}
