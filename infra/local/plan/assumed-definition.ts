// The definition of a kind of which no more is known than its name: its objects may hold anything.
import type { Intent } from '../../../shared/api/object.ts';

export interface AssumedKind {
  readonly group: string;
  readonly kind: string;
  readonly plural: string;
  /** Several are joined as in a contract label. */
  readonly version: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly isNamed: boolean;
}

/** Lists in such objects are replaced whole by whoever applies them, as nobody says what their members are known by. */
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
