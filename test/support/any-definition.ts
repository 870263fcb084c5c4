// Definitions of kinds whose objects may have any fields.
import type { Intent } from '@capi-serverless/apimachinery';

interface AnyDefinition {
  readonly group: string;
  readonly kind: string;
  /** All are served, and the first one is stored. */
  readonly versions: readonly string[];
  readonly labels?: Readonly<Record<string, string>>;
}

/** The definition of a namespaced kind. */
export function anyDefinition({ group, kind, versions, labels = {} }: AnyDefinition): Intent {
  const plural = `${kind.toLowerCase()}s`;
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${plural}.${group}`, labels },
    spec: {
      group,
      scope: 'Namespaced',
      names: { kind, plural },
      versions: versions.map((name, index) => ({
        name,
        served: true,
        storage: index === 0,
        schema: { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } },
      })),
    },
  };
}
