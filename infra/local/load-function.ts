// A bundled function, ready to be called.
import { pathToFileURL } from 'node:url';
import type { Bundle } from '../bundles/bundle.ts';
import type { FunctionPlan } from '../functions.ts';
import type { LocalFunction } from './lambda.ts';

export interface LoadedFunction {
  readonly queue: string;
  // A bundle's handler takes whatever its trigger sends; resync has two triggers.
  readonly target: LocalFunction<unknown>;
}

/** The bundle reads the process environment while it is loaded. Throws when it is none of the plans', or no function. */
export async function loadFunction(
  bundle: Pick<Bundle, 'name' | 'file'>,
  plans: readonly FunctionPlan[],
): Promise<LoadedFunction> {
  const plan = plans.find(({ name }) => name === bundle.name);
  const module: { readonly handler?: unknown } = await import(pathToFileURL(bundle.file).href);
  if (plan === undefined || typeof module.handler !== 'function') {
    throw new Error(`Bundle ${bundle.file} exports no handler`);
  }
  const handler = module.handler as LocalFunction<unknown>['handler']; // checked to be a function just above
  return { queue: plan.queue, target: { name: plan.name, timeoutSeconds: plan.timeoutSeconds, handler } };
}
