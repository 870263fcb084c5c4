// Generated from functions/reconcilers.ts by `npm run generate`: the public face of each reconciler for commands.
import type { ReconcilerFace } from '../shared/explain/face.ts';
import { face as cluster } from './cluster/explain.ts';
import { face as clusterclass } from './clusterclass/explain.ts';
import { face as clusterresourceset } from './clusterresourceset/explain.ts';
import { face as clusterresourcesetbinding } from './clusterresourcesetbinding/explain.ts';
import { face as extensionconfig } from './extensionconfig/explain.ts';
import { face as machine } from './machine/explain.ts';
import { face as machinedeployment } from './machinedeployment/explain.ts';
import { face as machinedeploymentTopology } from './machinedeployment-topology/explain.ts';
import { face as machinehealthcheck } from './machinehealthcheck/explain.ts';
import { face as machinepool } from './machinepool/explain.ts';
import { face as machineset } from './machineset/explain.ts';
import { face as machinesetTopology } from './machineset-topology/explain.ts';
import { face as topology } from './topology/explain.ts';

export const faces: readonly ReconcilerFace[] = [
  cluster,
  clusterclass,
  clusterresourceset,
  clusterresourcesetbinding,
  extensionconfig,
  machine,
  machinedeployment,
  machinedeploymentTopology,
  machinehealthcheck,
  machinepool,
  machineset,
  machinesetTopology,
  topology,
];
