// All reconcilers, one line each. Everything that depends on this list is derived or generated from it.
export { clusterDeclaration } from './cluster/declaration.ts';
export { clusterClassDeclaration } from './clusterclass/declaration.ts';
export { extensionConfigDeclaration } from './extensionconfig/declaration.ts';
export { machineDeploymentTopologyDeclaration } from './machinedeployment-topology/declaration.ts';
export { machineSetTopologyDeclaration } from './machineset-topology/declaration.ts';
export { topologyDeclaration } from './topology/declaration.ts';
