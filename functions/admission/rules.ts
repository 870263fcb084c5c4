// What the admission function may read. It writes nothing.
import type { PolicyRule } from '@capi-serverless/reconciler';
import { clusterGroup } from '../../shared/api/cluster/reader.ts';
import { contractVersionsRule } from '../../shared/api/policy-rules.ts';

export const admissionRules: readonly PolicyRule[] = [
  {
    apiGroups: [clusterGroup],
    resources: ['clusterclasses'],
    verbs: ['get'],
    gate: 'ClusterTopology',
    why: 'reads the ClusterClass of a Cluster',
  },
  {
    apiGroups: [clusterGroup],
    resources: ['clusters'],
    verbs: ['list'],
    gate: 'ClusterTopology',
    why: 'finds the Clusters that use a ClusterClass',
  },
  {
    apiGroups: [clusterGroup],
    resources: ['machinedeployments', 'machinepools', 'machines'],
    verbs: ['list'],
    gate: 'ClusterTopology',
    why: 'checks whether the previous upgrade is complete before the version of a topology changes',
  },
  {
    apiGroups: ['controlplane.cluster.x-k8s.io'],
    resources: ['*'],
    verbs: ['get'],
    gate: 'ClusterTopology',
    why: 'reads the version of the control plane before the version of a topology changes',
  },
  { ...contractVersionsRule, gate: 'ClusterTopology' },
  {
    apiGroups: ['ipam.cluster.x-k8s.io'],
    resources: ['ipaddressclaims'],
    verbs: ['get'],
    why: 'compares the pool of an IPAddress with that of its claim',
  },
];
