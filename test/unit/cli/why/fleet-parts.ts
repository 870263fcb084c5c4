// A fleet of healthy Clusters, and what follows from a cause in one of them: the conditions that the reconcilers report.
import { toSecretData } from '../../../../shared/api/secret.ts';
import {
  aCluster,
  aControlPlane,
  aMachine,
  aMachineDeployment,
  aMachineSet,
  anInfraCluster,
  type ClusterBuilder,
  type ControlPlaneBuilder,
  type InfraClusterBuilder,
  type MachineBuilder,
  type MachineCollectionBuilder,
} from '../../../support/builders.ts';
import type { Built, ConditionParts } from '../../../support/object-builder.ts';

/** The parts of one Cluster. A planted cause replaces some of them. */
export interface ClusterParts {
  readonly cluster: ClusterBuilder;
  readonly infrastructure: InfraClusterBuilder;
  readonly controlPlane: ControlPlaneBuilder;
  readonly deployment: MachineCollectionBuilder;
  readonly set: MachineCollectionBuilder;
  /** The first Machine belongs to the control plane, the others are workers. */
  readonly machines: readonly [MachineBuilder, MachineBuilder, MachineBuilder];
  readonly others: readonly Built[];
}

export const no = (reason: string, message = ''): ConditionParts => ({ status: 'False', reason, message });
export const yes = (reason: string, message = ''): ConditionParts => ({ status: 'True', reason, message });
export const unknown = (reason: string, message = ''): ConditionParts => ({ status: 'Unknown', reason, message });

function healthyMachine(name: string, cluster: string): MachineBuilder {
  return aMachine()
    .named(name)
    .ofCluster(cluster)
    .labelled({ pool: `${cluster}-md` })
    .withSpec({
      providerID: `simulated:///${name}`,
      bootstrap: { dataSecretName: `${name}-bootstrap` },
      infrastructureRef: { apiGroup: 'infrastructure.cluster.x-k8s.io', kind: 'SimulatedMachine', name },
    })
    .inPhase('Running')
    .withNode(name)
    .withCondition('Paused', no('NotPaused'))
    .withCondition('Deleting', no('NotDeleting'))
    .withCondition('BootstrapConfigReady')
    .withCondition('InfrastructureReady')
    .withCondition('NodeReady')
    .withCondition('NodeHealthy')
    .withCondition('UpToDate')
    .withCondition('Ready')
    .withCondition('Available');
}

function healthyCluster(name: string): ClusterParts {
  const collection = <Builder extends MachineCollectionBuilder>(of: Builder): Builder =>
    of
      .ofCluster(name)
      .withReplicas(2)
      .inPhase('Running')
      .withCounters({ replicas: 2, readyReplicas: 2, availableReplicas: 2, upToDateReplicas: 2 })
      .withCondition('Paused', no('NotPaused'))
      .withCondition('MachinesReady')
      .withCondition('Available');
  return {
    cluster: aCluster()
      .named(name)
      .withInfrastructureRef(anInfraCluster().named(`${name}-infra`))
      .withControlPlaneRef(aControlPlane().named(`${name}-cp`))
      .infrastructureProvisioned()
      .controlPlaneInitialized()
      .inPhase('Provisioned')
      .withCondition('Paused', no('NotPaused'))
      .withCondition('InfrastructureReady')
      .withCondition('ControlPlaneInitialized')
      .withCondition('ControlPlaneAvailable')
      .withCondition('RemoteConnectionProbe')
      .withCondition('WorkersAvailable')
      .withCondition('Available'),
    infrastructure: anInfraCluster().named(`${name}-infra`).ofCluster(name).provisioned().withCondition('Ready'),
    controlPlane: aControlPlane().named(`${name}-cp`).ofCluster(name).initialized().withCondition('Available'),
    deployment: collection(aMachineDeployment().named(`${name}-md`)).withSpec({
      selector: { matchLabels: { pool: `${name}-md` } },
    }),
    set: collection(aMachineSet().named(`${name}-md-1`)).withSpec({
      selector: { matchLabels: { pool: `${name}-md` } },
    }),
    machines: [
      healthyMachine(`${name}-cp-1`, name)
        .controlPlane()
        .labelled({ pool: `${name}-cp` }),
      healthyMachine(`${name}-md-1a`, name),
      healthyMachine(`${name}-md-1b`, name),
    ],
    others: [aKubeconfig(name, 'clusters: [{name: c, cluster: {server: https://192.0.2.1:6443}}]')],
  };
}

/** The Secret with the kubeconfig of a Cluster. */
export function aKubeconfig(cluster: string, text: string): Built {
  const metadata = { name: `${cluster}-kubeconfig`, namespace: 'ns', uid: '', resourceVersion: '' };
  return { apiVersion: 'v1', kind: 'Secret', metadata, ...{ data: { value: toSecretData(text) } } };
}

/** What follows for the objects above a worker that is not available. */
export function withoutWorker(parts: ClusterParts): ClusterParts {
  const message = '* MachineDeployment: 1 of 2 Machines available';
  return {
    ...parts,
    set: parts.set.withCondition('MachinesReady', no('NotReady', '* Machine: not ready')),
    deployment: parts.deployment
      .withCondition('MachinesReady', no('NotReady', '* Machine: not ready'))
      .withCondition('Available', no('NotAvailable', '1 available replicas, at least 2 required')),
    cluster: parts.cluster
      .withCondition('WorkersAvailable', no('NotAvailable', message))
      .withCondition('Available', no('NotAvailable', `* WorkersAvailable: ${message}`)),
  };
}

/** Changes the last worker. */
export function withWorker(parts: ClusterParts, change: (machine: MachineBuilder) => MachineBuilder): ClusterParts {
  const [first, second, last] = parts.machines;
  const ready = no('NotReady', '* not ready');
  const changed = change(last.withCondition('Ready', ready).withCondition('Available', no('NotReady')));
  return withoutWorker({ ...parts, machines: [first, second, changed] });
}

/** The Machines wait for the Cluster. */
export function uninitialized(parts: ClusterParts): ClusterParts {
  const waits = unknown('InspectionFailed', 'Waiting for Cluster control plane to be initialized');
  const [first, ...workers] = parts.machines.map(machine =>
    machine
      .withCondition('NodeReady', waits)
      .withCondition('NodeHealthy', waits)
      .withCondition('Ready', unknown('ReadyUnknown')),
  ) as [MachineBuilder, MachineBuilder, MachineBuilder]; // true: a list of three
  return withoutWorker({ ...parts, machines: [first, ...workers] });
}

/** The workload cluster does not answer. */
export function unconnected(parts: ClusterParts): ClusterParts {
  const down = unknown('ConnectionDown', 'Last successful probe at 2026-01-01T00:00:00Z');
  const message = 'Remote connection probe failed, last successful probe at 2026-01-01T00:00:00Z';
  const machines = parts.machines.map(machine =>
    machine
      .withCondition('NodeReady', down)
      .withCondition('NodeHealthy', down)
      .withCondition('Ready', unknown('ReadyUnknown'))
      .withCondition('Available', no('NotReady')),
  ) as [MachineBuilder, MachineBuilder, MachineBuilder]; // true: a list of three
  const lost = withoutWorker({ ...parts, machines });
  return { ...lost, cluster: lost.cluster.withCondition('RemoteConnectionProbe', no('ProbeFailed', message)) };
}

/** Returns the objects of `count` Clusters. Cluster c3 has the planted cause. */
export function fleetWith(
  { plant }: { readonly plant: (parts: ClusterParts) => ClusterParts },
  count: number,
): readonly Built[] {
  return Array.from({ length: count }, (_, at) => {
    const parts = healthyCluster(`c${at + 1}`);
    return at === 2 ? plant(parts) : parts;
  }).flatMap(({ cluster, infrastructure, controlPlane, deployment, set, machines, others }) => [
    ...[cluster, infrastructure, controlPlane, deployment, set],
    ...machines,
    ...others,
  ]);
}
