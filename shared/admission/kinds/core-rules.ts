// The rules of all core kinds but Cluster, ClusterClass and ExtensionConfig, whose admission reads other objects.
import { clusterResourceSetBindingRules, clusterResourceSetRules } from './cluster-resource-set.ts';
import { ipAddressClaimRules, ipAddressRules } from './ip-address.ts';
import type { KindRules } from './kind-rules.ts';
import { machineRules } from './machine.ts';
import { machineDeploymentRules } from './machine-deployment.ts';
import { machineDrainRuleRules } from './machine-drain-rule.ts';
import { machineHealthCheckRules } from './machine-health-check.ts';
import { machinePoolRules } from './machine-pool.ts';
import { machineSetRules } from './machine-set.ts';

const coreRules: readonly KindRules[] = [
  machineRules,
  machineSetRules,
  machineDeploymentRules,
  machinePoolRules,
  machineHealthCheckRules,
  machineDrainRuleRules,
  clusterResourceSetRules,
  clusterResourceSetBindingRules,
  ipAddressRules,
  ipAddressClaimRules,
];

/** Returns `undefined` for kinds without rules. */
export function rulesOf(kind: Pick<KindRules, 'group' | 'kind'>): KindRules | undefined {
  return coreRules.find(rules => rules.group === kind.group && rules.kind === kind.kind);
}
