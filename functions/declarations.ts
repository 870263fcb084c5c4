// Every reconciler of this product. Queues, functions, watches, RBAC and the local run are generated from this list.
import type { Declaration } from '../shared/kernel/types.ts';
import { clusterDeclaration } from './cluster/reconciler.ts';

export const declarations: readonly Declaration[] = [clusterDeclaration];
