// The definition of a kind of which only the name is known: its objects may hold any fields.
import type { Intent } from '@capi-serverless/apimachinery';

interface AssumedKind {
  readonly group: string;
  readonly kind: string;
  readonly plural: string;
  /** Several are joined as in a contract label. */
  readonly version: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly isNamed: boolean;
}

/** An apply replaces whole lists in such objects, because no list has a merge key. */
export function toAssumedDefinition(of: AssumedKind): Intent {
  const openAPIV3Schema = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${of.plural}.${of.group}`, labels: of.labels },
    spec: {
      group: of.group,
      scope: of.isNamed ? 'Namespaced' : 'Cluster',
      names: { kind: of.kind, plural: of.plural },
      versions: of.version.split('_').map((name, index) => ({
        name,
        served: true,
        storage: index === 0,
        subresources: { status: {} },
        schema: { openAPIV3Schema },
      })),
    },
  };
}
