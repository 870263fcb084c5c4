// The CustomResourceDefinitions of the core kinds.
import { groupOf, type Intent } from '@capi-serverless/apimachinery';
import { clusterCrd } from './cluster/crd.ts';
import { clusterClassCrd } from './cluster-class/crd.ts';
import { clusterResourceSetCrd } from './cluster-resource-set/crd.ts';
import { clusterResourceSetBindingCrd } from './cluster-resource-set-binding/crd.ts';
import { extensionConfigCrd } from './extension-config/crd.ts';
import { ipAddressCrd } from './ip-address/crd.ts';
import { ipAddressClaimCrd } from './ip-address-claim/crd.ts';
import { machineCrd } from './machine/crd.ts';
import { machineDeploymentCrd } from './machine-deployment/crd.ts';
import { machineDrainRuleCrd } from './machine-drain-rule/crd.ts';
import { machineHealthCheckCrd } from './machine-health-check/crd.ts';
import { machinePoolCrd } from './machine-pool/crd.ts';
import { machineSetCrd } from './machine-set/crd.ts';
import type { CustomResourceDefinition } from './schema/definition.ts';

/** The kinds that this project reads or writes. */
export const usedCrds: readonly CustomResourceDefinition[] = [
  clusterCrd,
  clusterClassCrd,
  machineDeploymentCrd,
  machineSetCrd,
  machinePoolCrd,
  machineCrd,
  machineHealthCheckCrd,
  machineDrainRuleCrd,
  extensionConfigCrd,
  clusterResourceSetCrd,
  clusterResourceSetBindingCrd,
];

/** All kinds of Cluster API's core provider. Providers of IP addresses reconcile those that are added here. */
export const coreCrds: readonly CustomResourceDefinition[] = [...usedCrds, ipAddressCrd, ipAddressClaimCrd];

/** Returns the definition of a core kind in any version, or `undefined` for other kinds. */
export function coreCrdOf({
  apiVersion,
  kind,
}: Pick<Intent, 'apiVersion' | 'kind'>): CustomResourceDefinition | undefined {
  return coreCrds.find(({ spec }) => spec.group === groupOf(apiVersion) && spec.names.kind === kind);
}
