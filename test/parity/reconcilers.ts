// The reconcilers that play scenarios, with the feature gates of the recordings: ClusterTopology, RuntimeSDK and MachinePool.

// Functions load these modules on demand, which takes real time. Virtual time does not wait for it, so the modules are
// loaded at the start.
import '../../functions/clusterresourceset/phases/parse-data.ts';
import '../../functions/topology/plan/patches/class-patches.ts';
import '../../shared/topology/default-variables.ts';
import '../../shared/variables/index.ts';
import type { WorkloadWriters } from '@capi-serverless/reconciler/runner';
import { createClusterReconciler, defaultSettings } from '../../functions/cluster/reconciler.ts';
import { faces } from '../../functions/faces.ts';
import { createMachineReconciler } from '../../functions/machine/reconciler.ts';
import { defaultSettings as machineSettings } from '../../functions/machine/settings.ts';
import { createSigner } from '../../shared/certificates/x509/lazy-signer.ts';
import type { WorkloadClients } from '../../shared/kubernetes/rest/workload-clients.ts';
import type { WorkloadClusters } from '../../shared/workload/port.ts';
import { rememberProbes } from '../../shared/workload/remember.ts';
import type { Scheduler } from '../simulation/engine/scheduler.ts';
import { connectHooks } from '../simulation/ports/hooks.ts';
import { connectNodes } from '../simulation/ports/remote.ts';
import type { HandlerDependencies, SimulatedReconciler } from '../simulation/system/functions.ts';
import { type Adapters, simulateDeclared } from '../simulation/system/reconcilers.ts';

export interface Played {
  readonly name: string;
  /** Whether all core reconcilers of upstream took part in the recording. */
  readonly isFamily: boolean;
}

/** The workload clusters of a stage. */
export interface PlayedWorkload extends WorkloadClusters {
  /** The clients of one process. */
  connect(of: HandlerDependencies): WorkloadClients;
}

/** Scenarios of Clusters, ClusterClasses and topologies were recorded with only these reconcilers. */
const recordedNames = ['cluster', 'clusterclass', 'machinedeployment-topology', 'machineset-topology', 'topology'];

/** Like upstream, a drain waits for finished Pods. */
export function createPlayedMachineReconciler() {
  return createMachineReconciler({ ...machineSettings, waitsForFinishedPods: true });
}

export function toReconcilers(
  { isFamily }: Played,
  scheduler: Scheduler,
  workload: PlayedWorkload,
): readonly SimulatedReconciler[] {
  const clientsOf = once((around: HandlerDependencies) => workload.connect(around));
  const adapters = toAdapters(scheduler, workload, clientsOf);
  const writersOf = (around: HandlerDependencies): WorkloadWriters => clientsOf(around).writers;
  return faces
    .filter(({ name }) => isFamily || recordedNames.includes(name))
    .map(({ name, use }) => {
      switch (name) {
        case 'cluster':
          return simulateDeclared(createClusterReconciler({ ...defaultSettings, honorsDeleteHook: true }), adapters);
        case 'machine':
          return simulateDeclared(createPlayedMachineReconciler(), adapters, writersOf);
        default:
          return use(({ reconciler }) => simulateDeclared(reconciler, adapters, writersOf));
      }
    });
}

/** The production signer, whose keys take real time. */
function toAdapters(
  scheduler: Scheduler,
  workload: PlayedWorkload,
  clientsOf: (around: HandlerDependencies) => WorkloadClients,
): Adapters {
  const signer = createSigner();
  return {
    hooks: ({ process, extensions }) => connectHooks(process, extensions),
    nodes: ({ process }) => connectNodes(process),
    signer: () => ({
      kubeconfig: request => scheduler.hold(signer.kubeconfig(request)),
      inspect: kubeconfig => scheduler.hold(signer.inspect(kubeconfig)),
    }),
    workload: ({ clock }) => rememberProbes(workload, clock),
    workloadApi: around => clientsOf(around).api,
  };
}

/** Reads and writes of a process have the same clients. */
function once<Key extends object, Value>(create: (key: Key) => Value): (key: Key) => Value {
  const created = new WeakMap<Key, Value>();
  return key => {
    const value = created.get(key) ?? create(key);
    created.set(key, value);
    return value;
  };
}
