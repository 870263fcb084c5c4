import { describe, expect, it } from 'vitest';
import {
  type TopologyOutcome,
  topologyReconciled,
} from '../../../../../functions/topology/conditions/topology-reconciled.ts';
import type {
  ControlPlaneProgress,
  Versions,
  WorkerProgress,
} from '../../../../../functions/topology/plan/upgrade/version-progress.ts';
import { readCluster } from '../../../../../shared/api/cluster/reader.ts';
import type { RetryResponse } from '../../../../../shared/runtime-hooks/rules/hook.ts';
import { settledVersions } from '../../../../support/settled-topology.ts';
import { aSettledTopologyCluster, aTopologyCluster } from '../../../../support/topology-objects.ts';
import { blockingResponse, goOn } from '../../../../support/topology-upgrade.ts';

interface Workers {
  readonly upgrading?: readonly string[];
  readonly pending?: readonly string[];
  readonly deferred?: readonly string[];
  readonly create?: readonly string[];
  readonly plan?: readonly string[];
}

/** A state in which all parts have version v1.31.0, except the given parts. */
function progress(change: {
  readonly controlPlane?: Partial<ControlPlaneProgress>;
  readonly deployments?: Workers;
  readonly pools?: Workers;
}): Versions {
  const { controlPlane, machineDeployments, machinePools } = settledVersions();
  return {
    controlPlane: { ...controlPlane, ...change.controlPlane },
    machineDeployments: workers(machineDeployments, change.deployments ?? {}),
    machinePools: workers(machinePools, change.pools ?? {}),
    isUpgradeInProgress: true,
  };
}

function workers(base: WorkerProgress, { upgrading, pending, deferred, create, plan = [] }: Workers): WorkerProgress {
  return {
    ...base,
    upgrading: new Set(upgrading),
    pendingUpgrade: new Set(pending),
    deferredUpgrade: new Set(deferred),
    pendingCreate: new Set(create),
    upgradePlan: plan,
  };
}

interface Given extends Partial<Omit<TopologyOutcome, 'cluster' | 'upgrade' | 'responses'>> {
  readonly cluster?: ReturnType<typeof aTopologyCluster>;
  readonly versions?: Versions | 'unknown';
  readonly responses?: Readonly<Record<string, RetryResponse>>;
}

function outcome({ cluster, versions = settledVersions(), responses = {}, ...others }: Given): TopologyOutcome {
  return {
    cluster: readCluster((cluster ?? aSettledTopologyCluster()).build()),
    error: undefined,
    isClassBehind: false,
    responses: new Map(Object.entries(responses)),
    isAfterClusterUpgradePending: false,
    upgrade: versions === 'unknown' ? undefined : { versions, controlPlaneKind: 'KubeadmControlPlane' },
    ...others,
  };
}

const type = 'TopologyReconciled';

describe('TopologyReconciled', () => {
  it.each<Given & { readonly row: string; readonly reason: string; readonly message: string }>([
    {
      row: 'paused by its spec',
      cluster: aSettledTopologyCluster().paused(),
      reason: 'Paused',
      message: 'Cluster spec.paused is set to true',
    },
    {
      row: 'paused twice, while it fails and is deleted',
      cluster: aSettledTopologyCluster().paused().annotated({ 'cluster.x-k8s.io/paused': '' }).deleting(),
      error: 'boom',
      isClassBehind: true,
      reason: 'Paused',
      message: 'Cluster spec.paused is set to true, Cluster has the cluster.x-k8s.io/paused annotation',
    },
    {
      row: 'paused by the annotation',
      cluster: aSettledTopologyCluster().annotated({ 'cluster.x-k8s.io/paused': 'true' }),
      reason: 'Paused',
      message: 'Cluster has the cluster.x-k8s.io/paused annotation',
    },
    {
      row: 'deleting',
      cluster: aSettledTopologyCluster().deleting(),
      isClassBehind: true,
      reason: 'Deleting',
      message: 'Cluster is deleting',
    },
    {
      row: 'deleting, and BeforeClusterDelete blocks',
      cluster: aSettledTopologyCluster().deleting(),
      responses: { BeforeClusterDelete: blockingResponse('data is being saved') },
      reason: 'Deleting',
      message: 'Cluster is deleting. Following hooks are blocking delete: BeforeClusterDelete: data is being saved',
    },
    {
      row: 'deleting, and BeforeClusterDelete blocks without a word',
      cluster: aSettledTopologyCluster().deleting(),
      responses: { BeforeClusterDelete: blockingResponse('') },
      reason: 'Deleting',
      message: 'Cluster is deleting. Following hooks are blocking delete: BeforeClusterDelete',
    },
    {
      row: 'the class is behind',
      cluster: aTopologyCluster(),
      isClassBehind: true,
      reason: 'ClusterClassNotReconciled',
      message:
        'ClusterClass not reconciled. If this condition persists please check ClusterClass status. A ClusterClass is reconciled if.status.observedGeneration == .metadata.generation is true. If this is not the case either ClusterClass reconciliation failed or the ClusterClass is paused',
    },
    {
      row: 'BeforeClusterCreate blocks',
      cluster: aTopologyCluster(),
      responses: { BeforeClusterCreate: blockingResponse('wait', 30) },
      versions: 'unknown',
      reason: 'ClusterCreating',
      message: 'Following hooks are blocking Cluster topology creation: BeforeClusterCreate: wait',
    },
  ])('row $row', ({ reason, message, row: _, ...given }) => {
    expect(topologyReconciled(outcome(given))).toEqual({
      condition: { type, status: 'False', reason, message },
      v1beta1: { type, status: 'False', reason, severity: 'Info', message },
    });
  });

  it('reports why the pass failed, also while the Cluster is deleted, with the reason of each family (rows 2 and 4)', () => {
    const error = 'failed to retrieve ClusterClass ns1/class1: not found';
    const cluster = aSettledTopologyCluster().deleting();
    expect(topologyReconciled(outcome({ cluster, error, isClassBehind: true }))).toEqual({
      condition: { type, status: 'False', reason: 'ReconcileFailed', message: error },
      v1beta1: { type, status: 'False', reason: 'TopologyReconcileFailed', severity: 'Error', message: error },
    });
  });

  it.each<Given & { readonly row: string }>([
    { row: 'nothing is there yet', cluster: aTopologyCluster(), versions: 'unknown' },
    {
      row: 'everything was just made',
      cluster: aTopologyCluster(),
      responses: { BeforeClusterCreate: goOn },
      versions: progress({ pools: { create: ['mp1'] } }),
    },
    { row: 'everything is as it shall be' },
    {
      row: 'a control plane runs no version yet, and nothing waits for it',
      versions: progress({ controlPlane: { isProvisioning: true } }),
    },
  ])('row $row: True', ({ row: _, ...given }) => {
    expect(topologyReconciled(outcome(given))).toEqual({
      condition: { type, status: 'True', reason: 'ReconcileSucceeded' },
      v1beta1: { type, status: 'True' },
    });
  });

  it.each([true, false])('stays as it is when the versions are not known (hook pending: %s)', isPending => {
    expect(
      topologyReconciled(outcome({ versions: 'unknown', isAfterClusterUpgradePending: isPending })),
    ).toBeUndefined();
  });

  it('is not row 6 when one of the two references exists', () => {
    const cluster = aTopologyCluster().withInfrastructureRef();
    expect(topologyReconciled(outcome({ cluster, versions: 'unknown' }))).toBeUndefined();
  });
});

describe('TopologyReconciled during an upgrade (row 7)', () => {
  const upgrading = { version: 'v1.31.0', isUpgrading: true };

  it.each<
    Given & { readonly row: string; readonly reason?: string; readonly lines: readonly string[]; readonly to?: string }
  >([
    {
      row: 'the control plane starts',
      versions: progress({
        controlPlane: { isStartingUpgrade: true, upgradePlan: ['v1.31.0'] },
        deployments: { pending: ['m'], plan: ['v1.31.0'] },
      }),
      lines: [
        'KubeadmControlPlane upgrading to version v1.31.0',
        'MachineDeployment m pending upgrade to version v1.31.0',
      ],
    },
    {
      row: 'the control plane is on its way, with more to come',
      versions: progress({
        controlPlane: { ...upgrading, isPendingUpgrade: true, upgradePlan: ['v1.32.0', 'v1.33.0'] },
        deployments: { pending: ['m'], plan: ['v1.33.0'] },
        pools: { pending: ['p'], plan: ['v1.33.0'] },
      }),
      lines: [
        'KubeadmControlPlane upgrading to version v1.31.0 (v1.32.0, v1.33.0 pending)',
        'MachineDeployment m pending upgrade to version v1.33.0',
        'MachinePool p pending upgrade to version v1.33.0',
      ],
    },
    {
      row: 'an annotation blocks the upgrade',
      responses: {
        BeforeClusterUpgrade: blockingResponse(
          'annotation before-upgrade.hook.cluster.cluster.x-k8s.io/test is set',
          1200,
        ),
      },
      versions: progress({ controlPlane: { isPendingUpgrade: true, upgradePlan: ['v1.31.4', 'v1.32.0'] } }),
      lines: [
        'Following hooks are blocking upgrade: BeforeClusterUpgrade: annotation before-upgrade.hook.cluster.cluster.x-k8s.io/test is set',
        'KubeadmControlPlane pending upgrade to version v1.31.4, v1.32.0',
      ],
    },
    {
      row: 'more names than are shown',
      versions: progress({
        controlPlane: upgrading,
        deployments: { pending: ['md4', 'md3', 'md2', 'md1'], plan: ['v1.31.0'] },
        pools: { pending: ['mp3', 'mp1', 'mp2'], plan: ['v1.31.0'] },
      }),
      lines: [
        'KubeadmControlPlane upgrading to version v1.31.0',
        'MachineDeployments md1, md2, md3, ... (1 more) pending upgrade to version v1.31.0',
        'MachinePools mp1, mp2, mp3 pending upgrade to version v1.31.0',
      ],
    },
    {
      row: 'AfterControlPlaneUpgrade blocks, with more to come',
      responses: { AfterControlPlaneUpgrade: blockingResponse('checking') },
      versions: progress({ controlPlane: { isPendingUpgrade: true, upgradePlan: ['v1.32.0'] } }),
      lines: [
        'Following hooks are blocking upgrade: AfterControlPlaneUpgrade: checking',
        'KubeadmControlPlane pending upgrade to version v1.32.0',
      ],
    },
    {
      row: 'AfterControlPlaneUpgrade blocks, and the control plane has arrived',
      responses: { AfterControlPlaneUpgrade: blockingResponse('checking') },
      versions: progress({ deployments: { pending: ['m'], plan: ['v1.31.0'] } }),
      lines: [
        'Following hooks are blocking upgrade: AfterControlPlaneUpgrade: checking',
        'MachineDeployment m pending upgrade to version v1.31.0',
      ],
    },
    {
      row: 'only AfterClusterUpgrade is left',
      isAfterClusterUpgradePending: true,
      responses: { AfterWorkersUpgrade: goOn, AfterClusterUpgrade: blockingResponse('') },
      lines: ['Following hooks are blocking upgrade: AfterClusterUpgrade'],
    },
    { row: 'AfterClusterUpgrade could not be called yet', isAfterClusterUpgradePending: true, lines: [] },
    {
      row: 'workers on their way, one with a stop behind it',
      versions: progress({
        controlPlane: { isPendingUpgrade: true, isWaitingForWorkersUpgrade: true, upgradePlan: ['v1.32.0'] },
        deployments: { upgrading: ['b'], pending: ['b', 'a'], plan: ['v1.31.0', 'v1.32.0'] },
        pools: { upgrading: ['p'], plan: ['v1.31.0'] },
      }),
      lines: [
        'KubeadmControlPlane pending upgrade to version v1.32.0',
        'MachineDeployment b upgrading to version v1.31.0 (v1.32.0 pending)',
        'MachineDeployment a pending upgrade to version v1.31.0, v1.32.0',
        'MachinePool p upgrading to version v1.31.0',
      ],
    },
    {
      row: 'deferred ones while another is on its way',
      versions: progress({
        deployments: { upgrading: ['a'], pending: ['b', 'c'], deferred: ['b', 'c'], plan: ['v1.31.0'] },
      }),
      lines: [
        'MachineDeployment a upgrading to version v1.31.0',
        'MachineDeployments b, c upgrade to version v1.31.0 deferred using defer-upgrade or hold-upgrade-sequence annotations',
      ],
    },
    {
      row: 'only deferred ones are left',
      reason: 'MachineDeploymentsUpgradeDeferred',
      isAfterClusterUpgradePending: true,
      versions: progress({ deployments: { pending: ['b', 'c'], deferred: ['b', 'c'], plan: ['v1.31.0'] } }),
      lines: [
        'MachineDeployments b, c upgrade to version v1.31.0 deferred using defer-upgrade or hold-upgrade-sequence annotations',
      ],
    },
    {
      row: 'only deferred pools are left',
      reason: 'MachinePoolsUpgradeDeferred',
      versions: progress({ pools: { pending: ['p'], deferred: ['p'], plan: ['v1.31.0'] } }),
      lines: [
        'MachinePool p upgrade to version v1.31.0 deferred using topology.cluster.x-k8s.io/defer-upgrade or hold-upgrade-sequence annotations',
      ],
    },
    {
      row: 'deferred ones of both kinds',
      reason: 'MachineDeploymentsUpgradeDeferred',
      versions: progress({
        deployments: { pending: ['m'], deferred: ['m'], plan: ['v1.31.0'] },
        pools: { pending: ['p'], deferred: ['p'], plan: ['v1.31.0'] },
      }),
      lines: [
        'MachineDeployment m upgrade to version v1.31.0 deferred using defer-upgrade or hold-upgrade-sequence annotations',
        'MachinePool p upgrade to version v1.31.0 deferred using topology.cluster.x-k8s.io/defer-upgrade or hold-upgrade-sequence annotations',
      ],
    },
    {
      row: 'a deferred one while a hook blocks',
      responses: { AfterWorkersUpgrade: blockingResponse('x') },
      versions: progress({ deployments: { pending: ['m'], deferred: ['m'], plan: ['v1.31.0'] } }),
      lines: [
        'Following hooks are blocking upgrade: AfterWorkersUpgrade: x',
        'MachineDeployment m upgrade to version v1.31.0 deferred using defer-upgrade or hold-upgrade-sequence annotations',
      ],
    },
    {
      row: 'a deferred one while another waits for its turn',
      versions: progress({ deployments: { pending: ['m', 'n'], deferred: ['m'], plan: ['v1.31.0'] } }),
      lines: [
        'MachineDeployment n pending upgrade to version v1.31.0',
        'MachineDeployment m upgrade to version v1.31.0 deferred using defer-upgrade or hold-upgrade-sequence annotations',
      ],
    },
    {
      row: 'a deferred one that still upgrades',
      versions: progress({ deployments: { upgrading: ['m'], pending: ['m'], deferred: ['m'], plan: ['v1.31.0'] } }),
      lines: ['MachineDeployment m upgrading to version v1.31.0'],
    },
    {
      row: 'a deferred one while the control plane starts',
      versions: progress({
        controlPlane: { isStartingUpgrade: true },
        deployments: { pending: ['m'], deferred: ['m'], plan: ['v1.31.0'] },
      }),
      lines: [
        'KubeadmControlPlane upgrading to version v1.31.0',
        'MachineDeployment m upgrade to version v1.31.0 deferred using defer-upgrade or hold-upgrade-sequence annotations',
      ],
    },
    {
      row: 'new workers wait to be made',
      versions: progress({
        controlPlane: { isProvisioning: true },
        deployments: { create: ['md2', 'md1'] },
        pools: { create: ['mp1'] },
      }),
      lines: [
        'MachineDeployments md1, md2 creation deferred while control plane upgrade is in progress',
        'MachinePool mp1 creation deferred while control plane upgrade is in progress',
      ],
    },
    {
      row: 'a pending one without a plan gets no line',
      versions: progress({ deployments: { pending: ['m'] } }),
      lines: [],
    },
    {
      row: 'workers of which some Machine is not at their version',
      versions: progress({ deployments: { upgrading: ['m'] } }),
      lines: ['MachineDeployment m upgrading to version v1.31.0'],
    },
  ])('row $row', ({ reason = 'ClusterUpgrading', lines, row: _, ...given }) => {
    const message = ['Cluster is upgrading to v1.31.0', ...lines.map(line => `  * ${line}`)].join('\n');
    expect(topologyReconciled(outcome(given))).toEqual({
      condition: { type, status: 'False', reason, message },
      v1beta1: { type, status: 'False', reason, severity: 'Info', message },
    });
  });
});
