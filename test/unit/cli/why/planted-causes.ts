// Causes to plant in one Cluster of a fleet: conditions as the reconcilers report them, and the first line of `why`.
import { aCluster, anInfraCluster, type MachineBuilder } from '../../../support/builders.ts';
import { type ConditionParts, ObjectBuilder } from '../../../support/object-builder.ts';
import {
  aKubeconfig,
  type ClusterParts,
  no,
  unconnected,
  uninitialized,
  unknown,
  withoutWorker,
  withWorker,
  yes,
} from './fleet-parts.ts';

const withTopology = (parts: ClusterParts, reason: string, message: string): ClusterParts => ({
  ...parts,
  cluster: parts.cluster
    .withTopology({ class: 'quick' })
    .withCondition('TopologyReconciled', no(reason, message))
    .withCondition('Available', no('NotAvailable', `* TopologyReconciled: ${message}`)),
});

function aHealthCheck(condition: ConditionParts): ObjectBuilder {
  return new ObjectBuilder({ apiVersion: 'cluster.x-k8s.io/v1beta2', kind: 'MachineHealthCheck', name: 'c3-mhc' })
    .labelled({ 'cluster.x-k8s.io/cluster-name': 'c3' })
    .withSpec({ clusterName: 'c3', selector: { matchLabels: { pool: 'c3-md' } } })
    .withStatus({ expectedMachines: 2, currentHealthy: 1, targets: ['c3-md-1a', 'c3-md-1b'] })
    .withCondition('Paused', no('NotPaused'))
    .withCondition('RemediationAllowed', condition);
}

const unhealthy = (machine: MachineBuilder): MachineBuilder =>
  machine
    .withCondition('NodeHealthy', no('NodeNotHealthy', '* Node.MemoryPressure: Kubelet has no memory'))
    .withCondition('HealthCheckSucceeded', no('UnhealthyNode', 'Health check failed: Node is not ready'));

const finalized = (machine: MachineBuilder): MachineBuilder =>
  machine.withFinalizers('machine.cluster.x-k8s.io').deleting().inPhase('Deleting');

/** A Cluster, a ClusterClass or an ExtensionConfig that is not well. */
interface Plant {
  readonly cause: string;
  /** The start of the first line, and the words of its cause. */
  readonly first: RegExp;
  plant(parts: ClusterParts): ClusterParts;
}

const className = { apiVersion: 'cluster.x-k8s.io/v1beta2', kind: 'ClusterClass', name: 'quick' };
const aClass = () =>
  new ObjectBuilder(className)
    .withSpec({
      infrastructure: {
        templateRef: {
          apiVersion: 'infrastructure.cluster.x-k8s.io/v1beta2',
          kind: 'SimulatedClusterTemplate',
          name: 't',
        },
      },
      controlPlane: {
        templateRef: {
          apiVersion: 'controlplane.cluster.x-k8s.io/v1beta2',
          kind: 'SimulatedControlPlaneTemplate',
          name: 't',
        },
      },
    })
    .withStatus({ observedGeneration: 1 })
    .withCondition('Paused', no('NotPaused'));

export const plants: readonly Plant[] = [
  {
    cause: 'the class is missing',
    first: /^Cluster ns\/c3 waits for .*ClusterClass ns\/quick.*not found/,
    plant: parts =>
      withTopology(
        parts,
        'ReconcileFailed',
        'failed to retrieve ClusterClass ns/quick: clusterclasses "quick" not found',
      ),
  },
  {
    cause: 'the class is not reconciled',
    first: /^ClusterClass ns\/quick waits for VariablesReady: .*duplicate variable "zone"/,
    plant: parts => ({
      ...withTopology(parts, 'ClusterClassNotReconciled', 'ClusterClass not reconciled'),
      others: [
        ...parts.others,
        aClass()
          .withCondition('VariablesReady', no('VariableDiscoveryFailed', 'duplicate variable "zone"'))
          .withCondition('RefVersionsUpToDate'),
      ],
    }),
  },
  {
    cause: 'the schema refuses a variable',
    first: /^Cluster ns\/c3 waits for .*replicaCount.*less than or equal to 5/,
    plant: parts =>
      withTopology(
        parts,
        'ReconcileFailed',
        'failed to apply: spec.topology.variables[replicaCount].value: should be less than or equal to 5',
      ),
  },
  {
    cause: 'the Cluster is paused',
    first: /^Cluster ns\/c3 waits for its pause to end/,
    plant: parts => ({
      ...parts,
      cluster: parts.cluster.paused().withCondition('Paused', yes('Paused', 'Cluster spec.paused is set to true')),
      deployment: parts.deployment.withCondition('Paused', yes('Paused')),
      set: parts.set.withCondition('Paused', yes('Paused')),
      machines: parts.machines.map(machine => machine.withCondition('Paused', yes('Paused'))) as never,
    }),
  },
  {
    cause: 'the infrastructure never becomes ready',
    first: /^Cluster ns\/c3 waits for InfrastructureReady: SimulatedCluster ns\/c3-infra.*QuotaExceeded/,
    plant: parts =>
      uninitialized({
        ...parts,
        infrastructure: anInfraCluster()
          .named('c3-infra')
          .ofCluster('c3')
          .withCondition('Ready', no('QuotaExceeded', 'no more networks')),
        cluster: parts.cluster
          .withCondition('InfrastructureReady', no('QuotaExceeded', 'no more networks'))
          .withCondition('ControlPlaneInitialized', no('NotInitialized')),
      }),
  },
  {
    cause: 'the bootstrap data is missing',
    first:
      /^Machine ns\/c3-md-1b waits for BootstrapConfigReady: .*KubeadmConfig|^Machine ns\/c3-md-1b waits for BootstrapConfigReady: .*dataSecretName/,
    plant: parts =>
      withWorker(parts, machine =>
        machine
          .withCondition('BootstrapConfigReady', no('NotReady', 'KubeadmConfig status.dataSecretName is not set'))
          .withCondition('InfrastructureReady', no('NotReady', 'SimulatedMachine waits for bootstrap data'))
          .withCondition(
            'NodeReady',
            unknown('InspectionFailed', 'Waiting for SimulatedMachine to report spec.providerID'),
          ),
      ),
  },
  {
    cause: 'the control plane endpoint does not answer',
    first: /^Cluster ns\/c3 waits for RemoteConnectionProbe: the API server that Secret ns\/c3-kubeconfig leads to/,
    plant: parts => unconnected(parts),
  },
  {
    cause: 'the Secret with the kubeconfig is missing',
    first: /^Cluster ns\/c3 waits for RemoteConnectionProbe: Secret ns\/c3-kubeconfig, which does not exist/,
    plant: parts => ({ ...unconnected(parts), others: [] }),
  },
  {
    cause: 'the Secret with the kubeconfig is invalid',
    first: /^Cluster ns\/c3 waits for RemoteConnectionProbe: Secret ns\/c3-kubeconfig, whose value is not a kubeconfig/,
    plant: parts => ({
      ...unconnected(parts),
      others: [aKubeconfig('c3', '%')],
    }),
  },
  {
    cause: 'no Node has the providerID of a Machine',
    first: /^Machine ns\/c3-md-1b waits for NodeReady: a Node with spec.providerID simulated:\/\/\/c3-md-1b/,
    plant: parts =>
      withWorker(parts, machine =>
        machine
          .withStatus({ nodeRef: undefined })
          .inPhase('Provisioned')
          .withCondition(
            'NodeReady',
            unknown('InspectionFailed', 'Waiting for a Node with spec.providerID simulated:///c3-md-1b to exist'),
          )
          .withCondition(
            'NodeHealthy',
            unknown('InspectionFailed', 'Waiting for a Node with spec.providerID simulated:///c3-md-1b to exist'),
          ),
      ),
  },
  {
    cause: 'the Node of a Machine was deleted',
    first: /^Machine ns\/c3-md-1b waits for NodeReady: Node c3-md-1b, which was deleted/,
    plant: parts =>
      withWorker(parts, machine =>
        machine
          .withCondition(
            'NodeReady',
            no('NodeDeleted', 'Node c3-md-1b has been deleted while the Machine still exists'),
          )
          .withCondition(
            'NodeHealthy',
            no('NodeDeleted', 'Node c3-md-1b has been deleted while the Machine still exists'),
          ),
      ),
  },
  {
    cause: 'a budget blocks a drain',
    first: /^Machine ns\/c3-md-1b waits for its deletion to end: Pod shop\/web-0, .*PodDisruptionBudget web/,
    plant: parts =>
      withWorker(parts, machine =>
        finalized(machine).withCondition(
          'Deleting',
          yes(
            'DrainingNode',
            "Drain not completed yet (started at 2026-01-01T00:00:00Z):\n* Pod shop/web-0: cannot evict pod as it would violate the pod's disruption budget. The disruption budget web needs 2 healthy pods and has 2 currently",
          ),
        ),
      ),
  },
  {
    cause: 'a volume stays attached',
    first: /^Machine ns\/c3-md-1b waits for its deletion to end: .*PersistentVolumeClaims?: shop\/data-0/,
    plant: parts =>
      withWorker(parts, machine =>
        finalized(machine).withCondition(
          'Deleting',
          yes(
            'WaitingForVolumeDetach',
            'Waiting for Node volumes to be detached (started at 2026-01-01T00:00:00Z)\n* PersistentVolumeClaims: shop/data-0',
          ),
        ),
      ),
  },
  {
    cause: 'a hook annotation blocks a deletion',
    first:
      /^Machine ns\/c3-md-1b waits for its deletion to end: annotation pre-drain\.delete\.hook\.machine\.cluster\.x-k8s\.io\/backup, which velero is to remove/,
    plant: parts =>
      withWorker(parts, machine =>
        finalized(machine)
          .annotated({ 'pre-drain.delete.hook.machine.cluster.x-k8s.io/backup': 'velero' })
          .withCondition(
            'Deleting',
            yes('WaitingForPreDrainHook', 'Waiting for pre-drain hooks to succeed (hooks: backup)'),
          ),
      ),
  },
  {
    cause: 'a health check does not remediate so many Machines',
    first: /^MachineHealthCheck ns\/c3-mhc waits for fewer unhealthy Machines: .*(?:too many|Health check failed)/,
    plant: parts => ({
      ...withWorker(parts, unhealthy),
      others: [
        ...parts.others,
        aHealthCheck(
          no(
            'TooManyUnhealthy',
            'Remediation is not allowed, there are too many unhealthy machines (total: 2, unhealthy: 1)',
          ),
        ),
      ],
    }),
  },
  {
    cause: 'the owner does not remediate any more',
    first: /^Machine ns\/c3-md-1b waits for its remediation: .*too many remediations in progress/,
    plant: parts => ({
      ...withWorker(parts, machine =>
        unhealthy(machine).withCondition(
          'OwnerRemediated',
          no('RemediationDeferred', 'Waiting because there are already too many remediations in progress'),
        ),
      ),
      others: [...parts.others, aHealthCheck(yes('RemediationAllowed'))],
    }),
  },
  {
    cause: 'a preflight check blocks new Machines',
    first: /^MachineSet ns\/c3-md-1 waits for more Machines: .*"ControlPlaneIsStable"/,
    plant: parts => {
      const blocked =
        'Scaling up from 2 to 3 replicas is blocked because:\n* MachineSet version: "ControlPlaneIsStable" preflight check failed';
      return withoutWorker({
        ...parts,
        set: parts.set.withReplicas(3).withCondition('ScalingUp', yes('ScalingUp', blocked)),
        deployment: parts.deployment
          .withReplicas(3)
          .withCondition('RollingOut', yes('RollingOut', 'Rolling out 2 not up-to-date replicas'))
          .withCondition('ScalingUp', yes('ScalingUp', blocked)),
      });
    },
  },
  {
    cause: 'the limits of a rollout allow no further step',
    first:
      /^MachineDeployment ns\/c3-md waits for its rollout to end: .*its limits: 2 of at most 2 Machines exist, 1 are available/,
    plant: parts => {
      const stale = no('NotUpToDate', '* Version v1.34.0, v1.35.0 required');
      const limited = withWorker(parts, machine =>
        machine
          .withSpec({ minReadySeconds: 86_400 })
          .withCondition('UpToDate', stale)
          .withCondition('Ready')
          .withCondition('Available', no('WaitingForMinReadySeconds')),
      );
      return {
        ...limited,
        deployment: limited.deployment
          .withSpec({
            rollout: { strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: 0, maxUnavailable: 1 } } },
          })
          .withCondition('RollingOut', yes('RollingOut', 'Rolling out 1 not up-to-date replicas')),
      };
    },
  },
  {
    cause: 'a hook of an extension blocks an upgrade',
    first: /^Cluster ns\/c3 waits for its upgrade: .*BeforeClusterUpgrade: backup is running/,
    plant: parts =>
      withTopology(
        parts,
        'ClusterUpgrading',
        'Cluster is upgrading to v1.36.0\n* Following hooks are blocking upgrade: BeforeClusterUpgrade: backup is running',
      ),
  },
  {
    cause: 'an extension fails',
    first: /^ExtensionConfig ext waits for Discovered: .*connection refused/,
    plant: parts => ({
      ...withTopology(
        parts,
        'ReconcileFailed',
        'ClusterClass is not successfully reconciled: status of VariablesReady is not True',
      ),
      others: [
        ...parts.others,
        aClass()
          .withCondition('VariablesReady', no('VariableDiscoveryFailed', 'failed to call DiscoverVariables'))
          .withCondition('RefVersionsUpToDate'),
        new ObjectBuilder({ apiVersion: 'runtime.cluster.x-k8s.io/v1beta2', kind: 'ExtensionConfig', name: 'ext' })
          .clusterScoped()
          .withSpec({ clientConfig: { url: 'https://ext.example.com' } })
          .withCondition('Paused', no('NotPaused'))
          .withCondition('Discovered', no('NotDiscovered', 'error in discovery: connection refused')),
      ],
    }),
  },
  {
    cause: 'the definition of a provider kind is missing',
    first:
      /^Cluster ns\/c3 waits for InfrastructureReady: Novel ns\/c3-infra, .*CustomResourceDefinition novels\.infrastructure\.cluster\.x-k8s\.io is not installed/,
    plant: parts =>
      uninitialized({
        ...parts,
        cluster: parts.cluster
          .withInfrastructureRef({ apiGroup: 'infrastructure.cluster.x-k8s.io', kind: 'Novel', name: 'c3-infra' })
          .withCondition('InfrastructureReady', unknown('InternalError', 'Please check controller logs for errors')),
      }),
  },
  {
    cause: 'another Cluster has the same infrastructure',
    first:
      /^Cluster ns\/c3 waits for InfrastructureReady: SimulatedCluster ns\/c3-infra, which belongs to Cluster "c9"/,
    plant: parts =>
      uninitialized({
        ...parts,
        infrastructure: parts.infrastructure.ownedBy(aCluster().named('c9').withUid('9'), { controller: true }),
        cluster: parts.cluster.withCondition(
          'InfrastructureReady',
          unknown('InternalError', 'Please check controller logs for errors'),
        ),
      }),
  },
  {
    cause: 'a foreign finalizer holds a deletion',
    first: /^Cluster ns\/c3 waits for what belongs to it to go: its finalizers: .*example\.com\/keep/,
    plant: parts => ({
      ...parts,
      cluster: parts.cluster
        .withFinalizers('example.com/keep')
        .deleting()
        .inPhase('Deleting')
        .withCondition('Deleting', yes('DeletionCompleted', 'Deletion completed')),
    }),
  },
];
