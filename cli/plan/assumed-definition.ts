// An assumed definition of a kind, if only its name is known. Its objects may contain any fields.
import type { Intent } from '@capi-serverless/apimachinery';

interface AssumedKind {
  readonly group: string;
  readonly kind: string;
  readonly plural: string;
  /** Several versions are joined as in a contract label. */
  readonly version: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly isNamed: boolean;
}

/** In objects of this kind, an apply replaces whole lists, because no list has a merge key. */
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
