// The definition of Cluster (cluster.x-k8s.io/v1beta2).
import { coreGroup, coreLabels, coreVersion } from '../schema/core.ts';
import { ageColumn, column, conditionColumn, countColumn, toDefinition, wide } from '../schema/definition.ts';
import { clusterSpec } from './spec-schema.ts';
import { clusterStatus } from './status-schema.ts';

export const clusterCrd = toDefinition({
  description: 'A Kubernetes cluster: its desired and its observed state.',
  group: coreGroup,
  version: coreVersion,
  kind: 'Cluster',
  shortNames: ['cl'],
  labels: coreLabels,
  spec: clusterSpec,
  status: clusterStatus,
  columns: [
    column('ClusterClass', '.spec.topology.classRef.name'),
    conditionColumn('Available'),
    countColumn('CP Desired', '.status.controlPlane.desiredReplicas'),
    countColumn('CP Current', '.status.controlPlane.replicas', wide),
    countColumn('CP Ready', '.status.controlPlane.readyReplicas', wide),
    countColumn('CP Available', '.status.controlPlane.availableReplicas'),
    countColumn('CP Up-to-date', '.status.controlPlane.upToDateReplicas'),
    countColumn('W Desired', '.status.workers.desiredReplicas'),
    countColumn('W Current', '.status.workers.replicas', wide),
    countColumn('W Ready', '.status.workers.readyReplicas', wide),
    countColumn('W Available', '.status.workers.availableReplicas'),
    countColumn('W Up-to-date', '.status.workers.upToDateReplicas'),
    conditionColumn('Paused', { priority: wide }),
    column('Phase', '.status.phase'),
    ageColumn,
    column('Version', '.spec.topology.version'),
  ],
});
