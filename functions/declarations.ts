// Every reconciler of this product. Queues, functions, watches, RBAC and the local run are generated from this list.
import type { Declaration } from '../shared/kernel/types.ts';
import { clusterDeclaration } from './cluster/reconciler.ts';
import { clusterClassDeclaration } from './clusterclass/declaration.ts';
import { extensionConfigDeclaration } from './extensionconfig/reconciler.ts';
import { machineDeploymentTopologyDeclaration } from './machinedeployment-topology/reconciler.ts';
import { machineSetTopologyDeclaration } from './machineset-topology/reconciler.ts';
import { topologyDeclaration } from './topology/declaration.ts';

export const declarations: readonly Declaration[] = [
  clusterDeclaration,
  clusterClassDeclaration,
  extensionConfigDeclaration,
  machineDeploymentTopologyDeclaration,
  machineSetTopologyDeclaration,
  topologyDeclaration,
];
