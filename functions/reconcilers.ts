// The list of all reconcilers, one per line. All other lists of reconcilers are derived or generated from it.
export { clusterDeclaration } from './cluster/declaration.ts';
export { clusterClassDeclaration } from './clusterclass/declaration.ts';
export { clusterResourceSetDeclaration } from './clusterresourceset/declaration.ts';
export { clusterResourceSetBindingDeclaration } from './clusterresourcesetbinding/declaration.ts';
export { extensionConfigDeclaration } from './extensionconfig/declaration.ts';
export { machineDeclaration } from './machine/declaration.ts';
export { machineDeploymentDeclaration } from './machinedeployment/declaration.ts';
export { machineDeploymentTopologyDeclaration } from './machinedeployment-topology/declaration.ts';
export { machineHealthCheckDeclaration } from './machinehealthcheck/declaration.ts';
export { machinePoolDeclaration } from './machinepool/declaration.ts';
export { machineSetDeclaration } from './machineset/declaration.ts';
export { machineSetTopologyDeclaration } from './machineset-topology/declaration.ts';
export { topologyDeclaration } from './topology/declaration.ts';
