// The Cluster reconciler: what it owns, needs and watches, and the four parts it consists of.

import { clusterGroup } from '../../shared/api/cluster/reader.ts';
import type { Declaration, PolicyRule, Reconciler } from '../../shared/kernel/types.ts';
import { ownedConditions } from './conditions/all.ts';
import { decide } from './decide.ts';
import { type Options, observe } from './observe.ts';
import { report } from './report.ts';
import type { Seen } from './seen.ts';
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
  { apiGroups: [''], resources: ['events'], verbs: ['create'], why: 'tells users what changed' },
];

const declaration: Declaration = {
  name: 'cluster',
  primary: clusterKind,
  timeoutSeconds: 30,
  fieldManager: 'capi-serverless',
  eventSource: 'cluster-controller',
  owns: {
    conditions: ownedConditions,
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
  ports: [],
  rules,
  watches: clusterWatches,
};

/** `honorsDeleteHook: false` deletes Clusters with topology without waiting for the BeforeClusterDelete hook's consent. */
export function createClusterReconciler(options: Options): Reconciler<object, Seen> {
  return { declaration, observe: (primary, ask) => observe(primary, ask, options), decide, report };
}

/** As with upstream's default feature gates: without managed topologies nobody could give that consent. */
export const clusterReconciler = createClusterReconciler({ honorsDeleteHook: false });
