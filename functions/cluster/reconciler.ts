// The Cluster reconciler: what it owns, needs and watches, and the four parts it consists of.

import { clusterGroup } from '../../shared/api/cluster/reader.ts';
import type { Declaration, PolicyRule, Reconciler } from '../../shared/kernel/types.ts';
import { ownedConditions } from './conditions/all.ts';
import { decide } from './decide.ts';
import { observe } from './observe.ts';
import { remoteConnectionType } from './phases/remote-connection.ts';
import type { RemotePorts } from './remote.ts';
import { report } from './report.ts';
import type { Seen, Settings } from './seen.ts';
import { clusterKind, clusterWatches } from './watches.ts';

const rules: readonly PolicyRule[] = [
  {
    apiGroups: [clusterGroup],
    resources: ['clusters'],
    verbs: ['get', 'patch'],
    why: 'reads the Cluster, writes its finalizer and control plane endpoint',
  },
  { apiGroups: [clusterGroup], resources: ['clusters/status'], verbs: ['patch'], why: 'reports status' },
  { apiGroups: [clusterGroup], resources: ['clusterclasses'], verbs: ['get'], why: 'reads availability gates' },
  {
    apiGroups: [clusterGroup],
    resources: ['machinedeployments', 'machinesets', 'machinepools', 'machines'],
    verbs: ['list', 'delete'],
    why: 'counts what belongs to the Cluster and deletes it with the Cluster',
  },
  {
    apiGroups: ['apiextensions.k8s.io'],
    resources: ['customresourcedefinitions'],
    verbs: ['get'],
    why: 'reads provider contract versions from CRD labels (metadata only)',
  },
  {
    apiGroups: ['infrastructure.cluster.x-k8s.io', 'controlplane.cluster.x-k8s.io'],
    resources: ['*'],
    verbs: ['get', 'patch', 'delete'],
    why: 'reads the objects that Clusters name, marks them as owned, deletes them with the Cluster',
  },
  {
    apiGroups: [''],
    resources: ['secrets'],
    verbs: ['get', 'create', 'patch'],
    why: 'reads <cluster>-kubeconfig and <cluster>-ca; makes the former for Clusters without control plane object and renews it',
  },
  { apiGroups: [''], resources: ['events'], verbs: ['create'], why: 'tells users what changed' },
];

export const clusterDeclaration: Declaration = {
  name: 'cluster',
  primary: clusterKind,
  timeoutSeconds: 30,
  fieldManager: 'capi-serverless',
  eventSource: 'cluster-controller',
  owns: {
    conditions: ownedConditions,
    unheralded: [remoteConnectionType],
    v1beta1: ['Ready', 'InfrastructureReady', 'ControlPlaneReady', 'ControlPlaneInitialized'],
    status: [
      'phase',
      'observedGeneration',
      'initialization',
      'failureDomains',
      // Whole, so that they are there as {}; an upgradePlan inside, written by others, is carried along unchanged.
      'controlPlane',
      'workers',
      'deprecated.v1beta1.failureReason',
      'deprecated.v1beta1.failureMessage',
    ],
  },
  ports: ['workload', 'signer'],
  rules,
  watches: clusterWatches,
};

/** Upstream's defaults. */
export const defaultSettings: Settings = {
  honorsDeleteHook: false,
  countsMachinePools: true,
  probesRemote: true,
  remoteGracePeriodMs: 50_000,
  resyncPeriodMs: 600_000,
};

export function createClusterReconciler(settings: Settings): Reconciler<RemotePorts, Seen> {
  return {
    declaration: clusterDeclaration,
    observe: (primary, ask, pass) => observe(primary, ask, { pass, settings }),
    decide,
    report,
  };
}

/** As upstream's manager runs without flags. */
export const clusterReconciler = createClusterReconciler(defaultSettings);
