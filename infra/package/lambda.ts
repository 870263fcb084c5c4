// The handlers for the functions of a provider's deployment: its reconcilers, and the queue functions with the
// provider's kinds.

import type { ClusterActuator, ProviderReconciler } from '@capi-serverless/provider-sdk';
import { createResyncHandler } from '../../functions/resync/resync-handler.ts';
import { createWindowedHandler } from '../../functions/windowed-forwarder/windowed-handler.ts';
import { reconcilerHandler } from '../../shared/lambda/reconciler-handler.ts';

/** The function that Lambda calls. The context is opaque. */
export type ProviderHandler = (event: unknown, context: never) => Promise<unknown>;

/**
 * Returns the handler of the function with this name: a reconciler's name, `resync` or `windowed-forwarder`. Throws if
 * the name is none of these. Throws ConfigError if the environment is not valid.
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
  // True: both kinds need no port in addition to reads. Only observe and report differ.
  return reconcilerHandler(found as ProviderReconciler);
}
