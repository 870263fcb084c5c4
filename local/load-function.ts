// Loads a bundled function.
import { pathToFileURL } from 'node:url';
import type { Bundle } from '../infra/bundles/bundle.ts';
import type { FunctionPlan, SourcePlan } from '../infra/function-plans.ts';
import type { LocalFunction } from './local-lambda.ts';

export interface LoadedFunction extends Pick<FunctionPlan, 'queue' | 'batchSize'> {
  // The event type depends on the trigger. The resync function has two triggers.
  readonly target: LocalFunction<unknown>;
}

/** Throws if no plan has this bundle, or if the bundle exports no function. */
export async function loadFunction(
  bundle: Pick<Bundle, 'name' | 'file'>,
  plans: readonly FunctionPlan[],
): Promise<LoadedFunction> {
  const plan = plans.find(({ name }) => name === bundle.name);
  if (plan === undefined) {
    throw new Error(`Bundle ${bundle.file} is of no function that is known here`);
  }
  return { queue: plan.queue, batchSize: plan.batchSize, target: await loadTarget(bundle, plan) };
}

/** The bundle reads the process environment while it loads. Throws if it exports no function. */
export async function loadTarget(
  { file }: Pick<Bundle, 'file'>,
  { name, timeoutSeconds }: SourcePlan,
): Promise<LocalFunction<unknown>> {
  const module: { readonly handler?: unknown } = await import(pathToFileURL(file).href);
  if (typeof module.handler !== 'function') {
    throw new Error(`Bundle ${file} exports no handler`);
  }
  const handler = module.handler as LocalFunction<unknown>['handler']; // True: the check above found a function.
  return { name, timeoutSeconds, handler };
}
