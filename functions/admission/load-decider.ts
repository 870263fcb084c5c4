// Loads the rules of a kind with its first review, so that a cold start loads no others.
import type { KindRules } from '../../shared/admission/kinds/kind-rules.ts';
import type { CreateDecider } from './decider.ts';

/** Rules that read at most the claim of an IPAddress. */
const ofRules = async (rules: KindRules): Promise<CreateDecider> => {
  const { createKindDecider } = await import('./decide-kind.ts');
  return ports => createKindDecider(rules, ports);
};

const loaders: Readonly<Record<string, () => Promise<CreateDecider>>> = {
  Cluster: async () => (await import('./decide-cluster.ts')).createClusterDecider,
  ClusterClass: async () => (await import('./decide-cluster-class.ts')).createClusterClassDecider,
  ExtensionConfig: async () => (await import('./decide-extension-config.ts')).createExtensionConfigDecider,
  Machine: async () => ofRules((await import('../../shared/admission/kinds/machine.ts')).machineRules),
  MachineSet: async () => ofRules((await import('../../shared/admission/kinds/machine-set.ts')).machineSetRules),
  MachineDeployment: async () =>
    ofRules((await import('../../shared/admission/kinds/machine-deployment.ts')).machineDeploymentRules),
  MachinePool: async () => ofRules((await import('../../shared/admission/kinds/machine-pool.ts')).machinePoolRules),
  MachineHealthCheck: async () =>
    ofRules((await import('../../shared/admission/kinds/machine-health-check.ts')).machineHealthCheckRules),
  MachineDrainRule: async () =>
    ofRules((await import('../../shared/admission/kinds/machine-drain-rule.ts')).machineDrainRuleRules),
  ClusterResourceSet: async () =>
    ofRules((await import('../../shared/admission/kinds/cluster-resource-set.ts')).clusterResourceSetRules),
  ClusterResourceSetBinding: async () =>
    ofRules((await import('../../shared/admission/kinds/cluster-resource-set.ts')).clusterResourceSetBindingRules),
  IPAddress: async () => ofRules((await import('../../shared/admission/kinds/ip-address.ts')).ipAddressRules),
  IPAddressClaim: async () => ofRules((await import('../../shared/admission/kinds/ip-address.ts')).ipAddressClaimRules),
};

/** Throws if the kind has no rules. Each kind of `admittedKinds` has some. */
export function loadDecider(kind: string): Promise<CreateDecider> {
  const load = loaders[kind];
  if (load === undefined) {
    throw new TypeError(`There are no rules of ${kind}`);
  }
  return load();
}
