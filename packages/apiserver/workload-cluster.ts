// The kinds of a workload cluster, for servers that stand for one.
export { workloadKinds } from './core/workload-kinds.ts';
