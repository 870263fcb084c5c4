// What the topology reconciler owns, needs and watches. A file of its own: whoever only asks for this loads no template engine.
import { clusterGroup } from '../../shared/api/cluster/reader.ts';
import type { Declaration, PolicyRule } from '../../shared/kernel/types.ts';
import { clusterKind, topologyWatches } from './watches.ts';

const rules: readonly PolicyRule[] = [
  {
    apiGroups: [clusterGroup],
    resources: ['clusters'],
    verbs: ['get', 'patch'],
    why: 'reads the Cluster, names infrastructure and control plane in it, keeps account of hooks, fills in variables',
  },
  { apiGroups: [clusterGroup], resources: ['clusters/status'], verbs: ['patch'], why: 'reports status' },
  { apiGroups: [clusterGroup], resources: ['clusterclasses'], verbs: ['get'], why: 'reads the ClusterClass' },
  {
    apiGroups: [clusterGroup],
    resources: ['machinedeployments', 'machinepools'],
    verbs: ['get', 'list', 'create', 'patch', 'delete'],
    why: 'makes, changes and removes the workers of a topology',
  },
  {
    apiGroups: [clusterGroup],
    resources: ['machinehealthchecks'],
    verbs: ['get', 'create', 'patch', 'delete'],
    why: 'makes, changes and removes the health checks of workers and control plane, which are named for them',
  },
  {
    apiGroups: [clusterGroup],
    resources: ['machines'],
    verbs: ['list'],
    why: 'sees whether MachineDeployments are upgrading',
  },
  {
    apiGroups: ['infrastructure.cluster.x-k8s.io', 'bootstrap.cluster.x-k8s.io'],
    resources: ['*'],
    verbs: ['get', 'create', 'patch', 'delete'],
    why: 'reads templates of classes, makes objects of them, changes those, removes templates that nothing needs any more',
  },
  {
    apiGroups: ['controlplane.cluster.x-k8s.io'],
    resources: ['*'],
    verbs: ['get', 'create', 'patch'],
    why: 'reads templates of classes, makes control planes of them, changes those',
  },
  {
    apiGroups: ['apiextensions.k8s.io'],
    resources: ['customresourcedefinitions'],
    verbs: ['get'],
    why: 'reads provider contract versions from CRD labels (metadata only)',
  },
  {
    apiGroups: ['runtime.cluster.x-k8s.io'],
    resources: ['extensionconfigs'],
    verbs: ['list'],
    why: 'finds the extensions that take part in the life of topologies',
  },
  {
    apiGroups: [''],
    resources: ['namespaces'],
    verbs: ['get'],
    why: 'reads the labels by which an ExtensionConfig selects namespaces (metadata only)',
  },
  {
    apiGroups: [''],
    resources: ['secrets'],
    verbs: ['get', 'create', 'delete'],
    why: 'owns what is made before the Cluster names it through <cluster>-shim; reads <cluster>-kubeconfig to see Nodes of MachinePools',
  },
  { apiGroups: [''], resources: ['events'], verbs: ['create'], why: 'tells users what changed' },
];

export const topologyDeclaration: Declaration = {
  name: 'topology',
  primary: clusterKind,
  gate: 'ClusterTopology',
  timeoutSeconds: 120,
  fieldManager: 'capi-serverless',
  eventSource: 'topology/cluster-controller',
  owns: {
    conditions: ['TopologyReconciled'],
    v1beta1: ['TopologyReconciled'],
    status: ['controlPlane.upgradePlan', 'workers.upgradePlan'],
  },
  ports: ['dryRun', 'hooks', 'workload'],
  rules,
  watches: topologyWatches,
};
