// The functions of a local run: those that are deployed, and those of the simulated provider where its kinds are installed.
import { declarations } from '../../functions/declarations.ts';
import type { Declaration } from '../../shared/kernel/types.ts';
import {
  type FunctionPlan,
  plumbingFunctions,
  resyncFunction,
  type SourcePlan,
  toReconcilerFunctions,
} from '../functions.ts';

const providerFolder = 'infra/local/provider';

/**
 * `simulated`: the declarations of the simulated provider, or none; its kinds need a resync function that knows them. `core`:
 * the reconcilers that run.
 */
export function toLocalFunctions(
  simulated: readonly Declaration[],
  core: readonly Declaration[] = declarations,
): readonly FunctionPlan[] {
  const deployed = [...toReconcilerFunctions(core, 'functions'), ...plumbingFunctions];
  const resyncEntry = `${providerFolder}/${resyncFunction}/handler.ts`;
  return simulated.length === 0
    ? deployed
    : [
        ...deployed.map(plan => (plan.name === resyncFunction ? { ...plan, entry: resyncEntry } : plan)),
        ...toReconcilerFunctions(simulated, providerFolder),
      ];
}

/** An event source, which must know the simulated kinds where they are installed. */
export function toLocalSource(plan: SourcePlan, simulated: readonly Declaration[]): SourcePlan {
  return simulated.length === 0 ? plan : { ...plan, entry: `${providerFolder}/${plan.name}/handler.ts` };
}
