// Generated from functions/reconcilers.ts by `npm run generate`: the handler of each reconciler, for the function of
// all reconcilers. Each one is a chunk of its bundle, loaded on demand.
export const lazyHandlers = {
  cluster: () => import('./cluster/handler.ts'),
  clusterclass: () => import('./clusterclass/handler.ts'),
  clusterresourceset: () => import('./clusterresourceset/handler.ts'),
  clusterresourcesetbinding: () => import('./clusterresourcesetbinding/handler.ts'),
  extensionconfig: () => import('./extensionconfig/handler.ts'),
  machine: () => import('./machine/handler.ts'),
  machinedeployment: () => import('./machinedeployment/handler.ts'),
  'machinedeployment-topology': () => import('./machinedeployment-topology/handler.ts'),
  machinehealthcheck: () => import('./machinehealthcheck/handler.ts'),
  machinepool: () => import('./machinepool/handler.ts'),
  machineset: () => import('./machineset/handler.ts'),
  'machineset-topology': () => import('./machineset-topology/handler.ts'),
  topology: () => import('./topology/handler.ts'),
};
