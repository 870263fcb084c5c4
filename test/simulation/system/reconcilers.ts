// The reconcilers of the simulated system; a workload names those that take part, so that what it does not need costs it nothing.
import { clusterReconciler, createClusterReconciler, defaultSettings } from '../../../functions/cluster/reconciler.ts';
import { createClusterClassReconciler } from '../../../functions/clusterclass/reconciler.ts';
import { createExtensionConfigReconciler } from '../../../functions/extensionconfig/reconciler.ts';
import { machineDeploymentTopologyReconciler } from '../../../functions/machinedeployment-topology/reconciler.ts';
import { machineSetTopologyReconciler } from '../../../functions/machineset-topology/reconciler.ts';
import { createTopologyReconciler } from '../../../functions/topology/reconciler.ts';
import { simulatedReconcilers } from '../../../infra/local/provider/declarations.ts';
import { simulatedMachine } from '../../../infra/local/provider/machines/machine.ts';
import { simulatedMachineDeployment } from '../../../infra/local/provider/machines/machine-deployment.ts';
import { simulatedMachineSet } from '../../../infra/local/provider/machines/machine-set.ts';
import { simulatedCluster } from '../../../infra/local/provider/simulated-cluster.ts';
import { simulatedControlPlane } from '../../../infra/local/provider/simulated-control-plane.ts';
import { rememberProbes } from '../../../shared/workload/remember.ts';
import { connectHooks } from '../ports/hooks.ts';
import { connectNodes, connectWorkload, createSimulatedSigner } from '../ports/remote.ts';
import { type SimulatedReconciler, type Surroundings, simulate } from './functions.ts';

const toRemote = ({ process, clock }: Surroundings) => ({
  signer: createSimulatedSigner(),
  workload: rememberProbes(connectWorkload(process), clock),
});

const clusterClass = simulate(createClusterClassReconciler({ callsExtensions: true }), ({ process, extensions }) => ({
  hooks: connectHooks(process, extensions),
}));

/** Without managed topologies. */
export const usualReconcilers: readonly SimulatedReconciler[] = [
  simulate(clusterReconciler, toRemote),
  clusterClass,
  simulate(createExtensionConfigReconciler({ runtimeSdk: true }), ({ process, extensions }) => ({
    hooks: connectHooks(process, extensions),
  })),
  ...simulatedReconcilers.map(each => simulate(each, () => ({}))),
];

/** What managed topologies need, Machine controllers included. ExtensionConfigs are there as their discovery left them. */
export const topologyReconcilers: readonly SimulatedReconciler[] = [
  simulate(createClusterReconciler({ ...defaultSettings, honorsDeleteHook: true }), toRemote),
  clusterClass,
  simulate(createTopologyReconciler({ callsExtensions: true }), ({ process, extensions }) => ({
    hooks: connectHooks(process, extensions),
    nodes: connectNodes(process),
  })),
  simulate(machineDeploymentTopologyReconciler, () => ({})),
  simulate(machineSetTopologyReconciler, () => ({})),
  ...[simulatedCluster, simulatedControlPlane, simulatedMachineDeployment, simulatedMachineSet, simulatedMachine].map(
    each => simulate(each, () => ({})),
  ),
];
