// The columns of `kubectl get` for each kind. Scripts and users depend on them.
import { expect, test } from 'vitest';
import { coreCrds } from '../../../../shared/api/crds.ts';

/** The columns in order. `+` marks columns that only `-o wide` shows. */
const columns: Readonly<Record<string, readonly string[]>> = {
  Cluster: [
    'ClusterClass .spec.topology.classRef.name',
    'Available .status.conditions[?(@.type=="Available")].status',
    'CP Desired .status.controlPlane.desiredReplicas',
    'CP Current+ .status.controlPlane.replicas',
    'CP Ready+ .status.controlPlane.readyReplicas',
    'CP Available .status.controlPlane.availableReplicas',
    'CP Up-to-date .status.controlPlane.upToDateReplicas',
    'W Desired .status.workers.desiredReplicas',
    'W Current+ .status.workers.replicas',
    'W Ready+ .status.workers.readyReplicas',
    'W Available .status.workers.availableReplicas',
    'W Up-to-date .status.workers.upToDateReplicas',
    'Paused+ .status.conditions[?(@.type=="Paused")].status',
    'Phase .status.phase',
    'Age .metadata.creationTimestamp',
    'Version .spec.topology.version',
  ],
  ClusterClass: [
    'Paused+ .status.conditions[?(@.type=="Paused")].status',
    'Variables Ready .status.conditions[?(@.type=="VariablesReady")].status',
    'Age .metadata.creationTimestamp',
  ],
  MachineDeployment: [
    'Cluster .spec.clusterName',
    'Available .status.conditions[?(@.type=="Available")].status',
    'Desired .spec.replicas',
    'Current .status.replicas',
    'Ready .status.readyReplicas',
    'Available .status.availableReplicas',
    'Up-to-date .status.upToDateReplicas',
    'Paused+ .status.conditions[?(@.type=="Paused")].status',
    'Phase .status.phase',
    'Age .metadata.creationTimestamp',
    'Version .spec.template.spec.version',
  ],
  MachineSet: [
    'Cluster .spec.clusterName',
    'Desired .spec.replicas',
    'Current .status.replicas',
    'Ready .status.readyReplicas',
    'Available .status.availableReplicas',
    'Up-to-date .status.upToDateReplicas',
    'Paused+ .status.conditions[?(@.type=="Paused")].status',
    'Age .metadata.creationTimestamp',
    'Version .spec.template.spec.version',
  ],
  MachinePool: [
    'Cluster .spec.clusterName',
    'Desired .spec.replicas',
    'Current .status.replicas',
    'Ready .status.readyReplicas',
    'Available .status.availableReplicas',
    'Up-to-date .status.upToDateReplicas',
    'Paused+ .status.conditions[?(@.type=="Paused")].status',
    'Phase .status.phase',
    'Age .metadata.creationTimestamp',
    'Version .spec.template.spec.version',
  ],
  Machine: [
    'Cluster .spec.clusterName',
    'Node Name .status.nodeRef.name',
    'Provider ID+ .spec.providerID',
    'Failure domain .status.failureDomain',
    'Ready .status.conditions[?(@.type=="Ready")].status',
    'Available .status.conditions[?(@.type=="Available")].status',
    'Up-to-date .status.conditions[?(@.type=="UpToDate")].status',
    'Internal-IP+ .status.addresses[?(@.type=="InternalIP")].address',
    'External-IP+ .status.addresses[?(@.type=="ExternalIP")].address',
    'OS-Image+ .status.nodeInfo.osImage',
    'Paused+ .status.conditions[?(@.type=="Paused")].status',
    'Phase .status.phase',
    'Age .metadata.creationTimestamp',
    'Version .spec.version',
  ],
  MachineHealthCheck: [
    'Cluster .spec.clusterName',
    'Replicas .status.expectedMachines',
    'Healthy .status.currentHealthy',
    'Paused+ .status.conditions[?(@.type=="Paused")].status',
    'Age .metadata.creationTimestamp',
  ],
  ExtensionConfig: [
    'Paused+ .status.conditions[?(@.type=="Paused")].status',
    'Discovered .status.conditions[?(@.type=="Discovered")].status',
    'Age .metadata.creationTimestamp',
  ],
  ClusterResourceSet: [
    'Applied .status.conditions[?(@.type=="ResourcesApplied")].status',
    'Paused+ .status.conditions[?(@.type=="Paused")].status',
    'Age .metadata.creationTimestamp',
  ],
  ClusterResourceSetBinding: ['Cluster .spec.clusterName', 'Age .metadata.creationTimestamp'],
  IPAddress: [
    'Address .spec.address',
    'Pool Name .spec.poolRef.name',
    'Pool Kind .spec.poolRef.kind',
    'Age .metadata.creationTimestamp',
  ],
  IPAddressClaim: ['Pool Name .spec.poolRef.name', 'Pool Kind .spec.poolRef.kind', 'Age .metadata.creationTimestamp'],
};

test.each(Object.keys(columns))('kubectl get shows the columns of Cluster API v1.14 for a %s', kind => {
  const versions = coreCrds.filter(({ spec }) => spec.names.kind === kind).flatMap(({ spec }) => spec.versions);
  const shown = versions.map(({ additionalPrinterColumns }) =>
    additionalPrinterColumns.map(({ name, priority = 0, jsonPath }) => `${name}${priority > 0 ? '+' : ''} ${jsonPath}`),
  );
  expect(shown).toEqual([columns[kind]]);
});
