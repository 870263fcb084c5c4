// Builds ClusterClasses for admission tests, and returns the errors as users see them.

import { printFieldError, type Unstructured } from '@capi-serverless/apimachinery';
import { denialOfClass } from '../../../../shared/admission/cluster-class.ts';

export const gates = { clusterTopology: true, runtimeSdk: true, taintPropagation: true };

export const ref = (kind: string, group = 'infrastructure'): object => ({
  apiVersion: `${group}.cluster.x-k8s.io/v1`,
  kind,
  name: 't',
});

export const infra = { templateRef: ref('AClusterTemplate') };
export const machines = { templateRef: ref('AMachineTemplate') };
const bootstrap = { templateRef: ref('AConfigTemplate', 'bootstrap') };
export const controlPlane = {
  templateRef: ref('AControlPlaneTemplate', 'controlplane'),
  machineInfrastructure: machines,
};

export const worker = (name: string, rest: object = {}): object => ({
  class: name,
  bootstrap,
  infrastructure: machines,
  ...rest,
});

export type Spec = Readonly<Record<string, unknown>>;
export const aSpec = (rest: Spec = {}): Spec => ({ infrastructure: infra, controlPlane, ...rest });
export const deployments = (...machineDeployments: readonly object[]): Spec => ({ workers: { machineDeployments } });

export function reported(
  spec: Spec,
  change: { old?: Spec; usedBy?: readonly Unstructured[]; gates?: Partial<typeof gates> } = {},
) {
  const { old, usedBy = [] } = change;
  const before = old === undefined ? {} : { old: { spec: old } };
  const denial = denialOfClass({ ...before, new: { spec }, usedBy, gates: { ...gates, ...change.gates } });
  return denial?.reason === 'Forbidden' ? [denial.message] : (denial?.errors ?? []).map(printFieldError);
}
