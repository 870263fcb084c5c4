// Definition of Machine (cluster.x-k8s.io/v1beta2).
import { coreGroup, coreLabels, coreVersion } from '../schema/core.ts';
import { ageColumn, column, conditionColumn, toDefinition, wide } from '../schema/definition.ts';
import { machineSpec } from './spec-schema.ts';
import { machineStatus } from './status-schema.ts';

export const machineCrd = toDefinition({
  description: 'One machine of a cluster, and the Node that it becomes.',
  group: coreGroup,
  version: coreVersion,
  kind: 'Machine',
  shortNames: ['ma'],
  labels: coreLabels,
  spec: machineSpec,
  status: machineStatus,
  columns: [
    column('Cluster', '.spec.clusterName'),
    column('Node Name', '.status.nodeRef.name'),
    column('Provider ID', '.spec.providerID', wide),
    column('Failure domain', '.status.failureDomain'),
    conditionColumn('Ready'),
    conditionColumn('Available'),
    conditionColumn('Up-to-date', { type: 'UpToDate' }),
    column('Internal-IP', '.status.addresses[?(@.type=="InternalIP")].address', wide),
    column('External-IP', '.status.addresses[?(@.type=="ExternalIP")].address', wide),
    column('OS-Image', '.status.nodeInfo.osImage', wide),
    conditionColumn('Paused', { priority: wide }),
    column('Phase', '.status.phase'),
    ageColumn,
    column('Version', '.spec.version'),
  ],
});
