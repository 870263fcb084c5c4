// The reconcilers that play scenarios, with the feature gates of the recordings: ClusterTopology, RuntimeSDK and MachinePool.

// Functions load these modules on demand, which takes real time. Virtual time does not wait for it, so the modules are
// loaded at the start.
import '../../functions/topology/plan/patches/run.ts';
import '../../shared/topology/default-variables.ts';
import '../../shared/variables/index.ts';
import { createClusterReconciler, defaultSettings } from '../../functions/cluster/reconciler.ts';
import { faces } from '../../functions/faces.ts';
import { createSigner } from '../../shared/certificates/x509/lazy-signer.ts';
import { createMemoryWorkload } from '../../shared/kubernetes/memory/memory-workload.ts';
import { rememberProbes } from '../../shared/workload/remember.ts';
import type { Scheduler } from '../simulation/engine/scheduler.ts';
import { connectHooks } from '../simulation/ports/hooks.ts';
import { connectNodes } from '../simulation/ports/remote.ts';
import type { SimulatedReconciler } from '../simulation/system/functions.ts';
import { type Adapters, simulateDeclared } from '../simulation/system/reconcilers.ts';
import { fakeWorkload, probeFailed } from '../support/fake-remote.ts';

/** Scenarios of Clusters, ClusterClasses and topologies were recorded with only these reconcilers. */
const recordedNames = ['clusterclass', 'machinedeployment-topology', 'machineset-topology', 'topology'];

export function toReconcilers(scheduler: Scheduler): readonly SimulatedReconciler[] {
  const adapters = toAdapters(scheduler);
  return [
    simulateDeclared(createClusterReconciler({ ...defaultSettings, honorsDeleteHook: true }), adapters),
    ...faces
      .filter(({ name }) => recordedNames.includes(name))
      .map(({ use }) => use(({ reconciler }) => simulateDeclared(reconciler, adapters))),
  ];
}

/** The production signer, whose keys take real time. No endpoint of the corpus belongs to a workload cluster. */
function toAdapters(scheduler: Scheduler): Adapters {
  const signer = createSigner();
  return {
    hooks: ({ process, extensions }) => connectHooks(process, extensions),
    nodes: ({ process }) => connectNodes(process),
    signer: () => ({
      kubeconfig: request => scheduler.hold(signer.kubeconfig(request)),
      inspect: kubeconfig => scheduler.hold(signer.inspect(kubeconfig)),
    }),
    workload: ({ clock }) => rememberProbes(fakeWorkload(probeFailed()), clock),
    workloadApi: ({ clock, newId: uid }) =>
      createMemoryWorkload({ clock, ids: { uid, nameSuffix: uid }, fault: 'down' }).api,
  };
}
