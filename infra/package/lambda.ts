// What the functions of a provider's deployment are made of: its reconcilers, and the plumbing that knows its kinds.
import { createResyncHandler } from '../../functions/resync/resync-handler.ts';
import { createWindowedHandler } from '../../functions/windowed-forwarder/windowed-handler.ts';
import type { ClusterActuator } from '../../shared/actuator/cluster-actuator.ts';
import type { ProviderReconciler } from '../../shared/actuator/provider.ts';
import { reconcilerHandler } from '../../shared/lambda/reconciler-handler.ts';

/** What Lambda calls; nobody else can make up such a context. */
export type ProviderHandler = (event: unknown, context: never) => Promise<unknown>;

/**
 * The handler of the function of that name: a reconciler's, `resync` or `windowed-forwarder`. Throws when the name is none of
 * these, and ConfigError when the environment is not valid.
 */
export function providerHandler(
  reconcilers: readonly (ProviderReconciler | ClusterActuator)[],
  functionName: string,
): ProviderHandler {
  const declarations = reconcilers.map(({ declaration }) => declaration);
  if (functionName === 'resync') {
    return createResyncHandler(functionName, declarations);
  }
  if (functionName === 'windowed-forwarder') {
    return createWindowedHandler(functionName, declarations);
  }
  const found = reconcilers.find(({ declaration }) => declaration.name === functionName);
  if (found === undefined) {
    throw new Error(`There is no reconciler ${functionName} among ${declarations.map(({ name }) => name).join(', ')}`);
  }
  // Both kinds need no port beside reads; which of them it is, its own observe and report know.
  return reconcilerHandler(found as ProviderReconciler);
}
