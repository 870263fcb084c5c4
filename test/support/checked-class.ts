// Manifests of a ClusterClass and its templates, as files for `check`.
import { check } from '../../cli/check/check.ts';

export const infrastructure = 'infrastructure.cluster.x-k8s.io/v1beta2';
const controlPlane = 'controlplane.cluster.x-k8s.io/v1beta2';

/** Returns class `name` with these patches as YAML below `  patches:`. */
export function aClass(rest = ''): string {
  return `apiVersion: cluster.x-k8s.io/v1beta2
kind: ClusterClass
metadata:
  name: quick
spec:
  infrastructure:
    templateRef:
      apiVersion: ${infrastructure}
      kind: FastClusterTemplate
      name: infra
  controlPlane:
    templateRef:
      apiVersion: ${controlPlane}
      kind: FastControlPlaneTemplate
      name: control
${rest}`;
}

export const infraTemplate = `apiVersion: ${infrastructure}
kind: FastClusterTemplate
metadata:
  name: infra
spec:
  template:
    spec:
      network: {}
      zones: [a]
`;

export const controlTemplate = `apiVersion: ${controlPlane}
kind: FastControlPlaneTemplate
metadata:
  name: control
spec:
  template:
    spec: {}
`;

export function aPatch(...operations: readonly string[]): string {
  return `  patches:
  - name: fast
    definitions:
    - selector:
        apiVersion: ${infrastructure}
        kind: FastClusterTemplate
        matchResources: {infrastructureCluster: true}
      jsonPatches:
${operations.map(operation => `      - ${operation}`).join('\n')}
`;
}

export function lines(...texts: readonly string[]): readonly string[] {
  const text = texts.join('---\n');
  const { findings } = check([{ name: 'class.yaml', text }]);
  return findings.map(
    ({ line, column, severity, field, message }) => `${line}:${column} ${severity} ${field}: ${message}`,
  );
}
