// The kinds of a workload cluster, for servers that stand for one.
export { protects } from './core/disruption-budgets.ts';
export { workloadKinds } from './core/workload-kinds.ts';
