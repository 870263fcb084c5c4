// The reconcilers of a simulation: all declared ones, with the settings of plan. If there is a runs.json with its
// workloads, a reconciler runs in some workloads only.

// Functions load this module on demand, which takes real time.
import '../../../functions/clusterresourceset/phases/parse-data.ts';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import type { PortFactories, Reconciler } from '@capi-serverless/reconciler';
import type { WorkloadWriters } from '@capi-serverless/reconciler/runner';
import * as z from 'zod/mini';
import { createClusterReconciler, defaultSettings } from '../../../functions/cluster/reconciler.ts';
import { faces } from '../../../functions/faces.ts';
import { simulatedReconcilers } from '../../../local/provider/declarations.ts';
import { simulatedControlPlaneMachine } from '../../../local/provider/machines/control-plane-machine.ts';
import { simulatedBootstrapConfig } from '../../../local/provider/machines/simulated-bootstrap-config.ts';
import { simulatedMachine } from '../../../local/provider/machines/simulated-machine.ts';
import { simulatedCluster } from '../../../local/provider/simulated-cluster.ts';
import { createSimulatedControlPlane } from '../../../local/provider/simulated-control-plane.ts';
import type { PortTypes } from '../../../shared/ports.ts';
import { rememberProbes } from '../../../shared/workload/remember.ts';
import { canary } from '../oracles/secrecy.ts';
import { connectHooks } from '../ports/hooks.ts';
import { connectNodes, connectWorkload, createSimulatedSigner } from '../ports/remote.ts';
import { type HandlerDependencies, type SimulatedReconciler, simulate } from './functions.ts';

export type Adapters = PortFactories<PortTypes, HandlerDependencies>;

const simulated: Adapters = {
  hooks: ({ process, extensions }) => connectHooks(process, extensions),
  nodes: ({ process }) => connectNodes(process),
  signer: createSimulatedSigner,
  workload: ({ process, clock }) => rememberProbes(connectWorkload(process), clock),
  workloadApi: ({ workload }) => workload.api,
};

/** A reconciler with the ports in its declaration. */
export function simulateDeclared<Ports extends Partial<PortTypes>, Seen extends object>(
  reconciler: Reconciler<Ports, Seen>,
  adapters = simulated,
  writersOf?: (of: HandlerDependencies) => WorkloadWriters,
): SimulatedReconciler {
  const named = Object.entries(adapters).filter(([name]) => reconciler.declaration.ports.some(port => port === name));
  // True: the adapters have the port names as keys, and these are the adapters of its ports.
  return simulate(reconciler, Object.fromEntries(named) as PortFactories<Ports, HandlerDependencies>, writersOf);
}

/** The runs.json in the folder of a reconciler's workloads. */
const runsSchema = z.strictObject({
  /** The only workloads in which the reconciler runs. */
  only: z.enum(['managed', 'unmanaged']),
  because: z.string(),
});

const workloadsFolder = path.join(import.meta.dirname, '../workloads');

/** Without runs.json, a reconciler runs in all workloads. */
function takesPart(name: string, workloads: 'managed' | 'unmanaged'): boolean {
  const file = path.join(workloadsFolder, name, 'runs.json');
  return !existsSync(file) || runsSchema.parse(JSON.parse(readFileSync(file, 'utf8'))).only === workloads;
}

function declared(workloads: 'managed' | 'unmanaged'): readonly SimulatedReconciler[] {
  return faces
    .filter(({ name }) => takesPart(name, workloads))
    .map(({ name, use }) =>
      workloads === 'managed' && name === clusterOfTopology.declaration.name
        ? clusterOfTopology
        : use(({ reconciler }) => simulateDeclared(reconciler)),
    );
}

/** The setting of a deployment with managed topologies: a hook may block the deletion. */
const clusterOfTopology = simulateDeclared(createClusterReconciler({ ...defaultSettings, honorsDeleteHook: true }));

/** The reconcilers without managed topologies. */
export const usualReconcilers: readonly SimulatedReconciler[] = [
  ...declared('unmanaged'),
  ...simulatedReconcilers.map(each => simulate(each, {})),
];

/** Its Secrets connect Machines with their workload clusters. */
const controlPlaneWithKubeconfig = createSimulatedControlPlane(
  () => ({ server: 'https://workload.example', authority: { certificate: 'certificate', privateKey: canary } }),
  createSimulatedSigner(),
);

/** The reconcilers with managed topologies, and the controllers of Machines. */
const managedReconcilers: readonly SimulatedReconciler[] = [
  ...declared('managed'),
  ...[
    simulatedCluster,
    controlPlaneWithKubeconfig,
    simulatedControlPlaneMachine,
    simulatedMachine,
    simulatedBootstrapConfig,
  ].map(each => simulate(each, {})),
];

export function reconcilersOf({ managed }: { readonly managed?: true }): readonly SimulatedReconciler[] {
  return managed ? managedReconcilers : usualReconcilers;
}
