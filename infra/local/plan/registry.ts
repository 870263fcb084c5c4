// The reconcilers that can be planned.
import { clusterReconciler } from '../../../functions/cluster/reconciler.ts';
import type { RemotePorts } from '../../../functions/cluster/remote.ts';
import { createClusterClassReconciler } from '../../../functions/clusterclass/reconciler.ts';
import { createExtensionConfigReconciler } from '../../../functions/extensionconfig/reconciler.ts';
import { machineDeploymentTopologyReconciler } from '../../../functions/machinedeployment-topology/reconciler.ts';
import { machineSetTopologyReconciler } from '../../../functions/machineset-topology/reconciler.ts';
import { createTopologyReconciler } from '../../../functions/topology/reconciler.ts';
import { createSigner } from '../../../shared/certificates/x509/lazy-signer.ts';
import { parseConfig } from '../../../shared/config/env.ts';
import { valueAt } from '../../../shared/kernel/merge-diff.ts';
import type { Metrics } from '../../../shared/kernel/metrics.ts';
import { userAgent } from '../../../shared/kubernetes/rest/version.ts';
import { createWorkload } from '../../../shared/kubernetes/rest/workload.ts';
import { createWorkloadNodes } from '../../../shared/kubernetes/rest/workload-nodes.ts';
import { createHooks } from '../../../shared/runtime-hooks/client/client.ts';
import type { Hooks, HooksPort } from '../../../shared/runtime-hooks/port.ts';
import { systemClock } from '../../../shared/telemetry/system-clock.ts';
import { waitOfClass } from '../view/classes.ts';
import { waitOfExtension } from '../view/extensions.ts';
import { waitOfTopology } from '../view/topology.ts';
import { waitOf } from '../view/waiting.ts';
import { whyOfClusterClass } from './class-reasons.ts';
import { whyOfCluster } from './cluster-reasons.ts';
import { whyOfCompanion } from './companion-reasons.ts';
import { discoveryAsReported } from './discovery-as-reported.ts';
import { whyOfExtensionConfig } from './extension-reasons.ts';
import { hooksAsReported } from './hooks-as-reported.ts';
import { nodesAsReported } from './nodes-as-reported.ts';
import { type Asking, type Plannable, toPlannable } from './plan.ts';
import { readFromFiles } from './topology-from-files.ts';
import { hooksThatAgree } from './topology-hooks.ts';
import { replacedBy, whyOfTopology } from './topology-reasons.ts';
import { stepsOfTopology } from './topology-steps.ts';
import { workloadAsReported } from './workload-as-reported.ts';

/** A hook that is called may be called again at any time; Discovery changes nothing at all. */
function hookPorts(asReported: (asking: Asking) => Hooks): (asking: Asking) => HooksPort {
  return asking => {
    const settings = { ...parseConfig(process.env).extensions, addresses: 'any' } as const;
    return {
      hooks: asking.callHooks ? createHooks({ clock: systemClock, metrics: noMetrics, settings }) : asReported(asking),
    };
  };
}

const noMetrics: Metrics = { count: () => undefined, observe: () => undefined };

/** A probe is a request that changes nothing; what the signer makes here is thrown away. */
function ports(asking: Asking): RemotePorts {
  const workload = asking.probeWorkloads ? createWorkload({ userAgent, addresses: 'any' }) : workloadAsReported(asking);
  return { signer: createSigner(), workload };
}

/** Reading Nodes changes nothing. */
function topologyPorts(asking: Asking) {
  const nodes = asking.probeWorkloads ? createWorkloadNodes({ userAgent, addresses: 'any' }) : nodesAsReported(asking);
  return { ...hookPorts(hooksThatAgree)(asking), nodes };
}

export const plannables: readonly Plannable[] = [
  toPlannable({ reconciler: clusterReconciler, ports, whyOf: whyOfCluster, waitOf }),
  toPlannable({
    reconciler: createClusterClassReconciler({ callsExtensions: true }),
    ports: hookPorts(discoveryAsReported),
    whyOf: whyOfClusterClass,
    waitOf: waitOfClass,
  }),
  toPlannable({
    reconciler: createExtensionConfigReconciler({ runtimeSdk: true }),
    ports: hookPorts(hooksAsReported),
    whyOf: whyOfExtensionConfig,
    waitOf: waitOfExtension,
  }),
  toPlannable({
    reconciler: createTopologyReconciler({ callsExtensions: true }),
    ports: topologyPorts,
    concerns: cluster => valueAt(cluster.spec, 'topology') !== undefined,
    prepare: (asking, now) => readFromFiles(asking, now, hookPorts(discoveryAsReported)),
    whyOf: whyOfTopology,
    replacedBy,
    tell: stepsOfTopology,
    waitOf: waitOfTopology,
  }),
  ...[machineDeploymentTopologyReconciler, machineSetTopologyReconciler].map(reconciler =>
    toPlannable({ reconciler, ports: () => ({}), whyOf: whyOfCompanion, waitOf: () => undefined }),
  ),
];
