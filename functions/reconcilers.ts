// The list of all reconcilers, one per line. All other lists of reconcilers are derived or generated from it.
export { clusterDeclaration } from './cluster/declaration.ts';
export { clusterClassDeclaration } from './clusterclass/declaration.ts';
export { extensionConfigDeclaration } from './extensionconfig/declaration.ts';
export { machineDeploymentTopologyDeclaration } from './machinedeployment-topology/declaration.ts';
export { machineSetTopologyDeclaration } from './machineset-topology/declaration.ts';
export { topologyDeclaration } from './topology/declaration.ts';
