// Loads the rules of a kind with its first review, so that a cold start loads no others.
import type { KindRules } from '../../shared/admission/kinds/kind-rules.ts';
import type { CreateDecider } from './decider.ts';

/** Rules that read at most the claim of an IPAddress. */
const ofRules = async (loading: Promise<KindRules>): Promise<CreateDecider> => {
  const [rules, { createKindDecider }] = await Promise.all([loading, import('./decide-kind.ts')]);
  return ports => createKindDecider(rules, ports);
};

const loaders: Readonly<Record<string, () => Promise<CreateDecider>>> = {
  Cluster: async () => (await import('./decide-cluster.ts')).createClusterDecider,
  ClusterClass: async () => (await import('./decide-cluster-class.ts')).createClusterClassDecider,
  ExtensionConfig: async () => (await import('./decide-extension-config.ts')).createExtensionConfigDecider,
  Machine: () => ofRules(import('../../shared/admission/kinds/machine.ts').then(module => module.machineRules)),
  MachineSet: () =>
    ofRules(import('../../shared/admission/kinds/machine-set.ts').then(module => module.machineSetRules)),
  MachineDeployment: () =>
    ofRules(import('../../shared/admission/kinds/machine-deployment.ts').then(module => module.machineDeploymentRules)),
  MachinePool: () =>
    ofRules(import('../../shared/admission/kinds/machine-pool.ts').then(module => module.machinePoolRules)),
  MachineHealthCheck: () =>
    ofRules(
      import('../../shared/admission/kinds/machine-health-check.ts').then(module => module.machineHealthCheckRules),
    ),
  MachineDrainRule: () =>
    ofRules(import('../../shared/admission/kinds/machine-drain-rule.ts').then(module => module.machineDrainRuleRules)),
  ClusterResourceSet: () =>
    ofRules(
      import('../../shared/admission/kinds/cluster-resource-set.ts').then(module => module.clusterResourceSetRules),
    ),
  ClusterResourceSetBinding: () =>
    ofRules(
      import('../../shared/admission/kinds/cluster-resource-set.ts').then(
        module => module.clusterResourceSetBindingRules,
      ),
    ),
  IPAddress: () => ofRules(import('../../shared/admission/kinds/ip-address.ts').then(module => module.ipAddressRules)),
  IPAddressClaim: () =>
    ofRules(import('../../shared/admission/kinds/ip-address.ts').then(module => module.ipAddressClaimRules)),
};

/** Throws if the kind has no rules. Each kind of `admittedKinds` has some. */
export function loadDecider(kind: string): Promise<CreateDecider> {
  const load = loaders[kind];
  if (load === undefined) {
    throw new TypeError(`There are no rules of ${kind}`);
  }
  return load();
}
