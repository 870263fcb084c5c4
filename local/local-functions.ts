// The functions of a local run: the deployed functions, and those of the simulated provider if its kinds are installed.

import type { Declaration } from '@capi-serverless/reconciler';
import { declarations } from '../functions/declarations.ts';
import {
  type FunctionPlan,
  plumbingFunctions,
  resyncFunction,
  type SourcePlan,
  toReconcilerFunctions,
  toSharedFunction,
} from '../infra/function-plans.ts';
import type { WorkQueueLayout } from '../shared/workqueue/queue-specs.ts';

const providerFolder = 'local/provider';

/**
 * `simulated` contains the declarations of the simulated provider, or none. The resync function is built with their
 * kinds. `core` contains the reconcilers that run. The layout is theirs: simulated reconcilers have functions of their
 * own, like those of any provider.
 */
export function toLocalFunctions(
  simulated: readonly Declaration[],
  core: readonly Declaration[] = declarations,
  layout: WorkQueueLayout = 'per-kind',
): readonly FunctionPlan[] {
  const own = toReconcilerFunctions(core, 'functions');
  const deployed = [...(layout === 'compact' ? [toSharedFunction(own)] : own), ...plumbingFunctions];
  const resyncEntry = `${providerFolder}/${resyncFunction}/handler.ts`;
  return simulated.length === 0
    ? deployed
    : [
        ...deployed.map(plan => (plan.name === resyncFunction ? { ...plan, entry: resyncEntry } : plan)),
        ...toReconcilerFunctions(simulated, providerFolder),
      ];
}

/** Returns an event source that watches the simulated kinds if they are installed. */
export function toLocalSource(plan: SourcePlan, simulated: readonly Declaration[]): SourcePlan {
  return simulated.length === 0 ? plan : { ...plan, entry: `${providerFolder}/${plan.name}/handler.ts` };
}
