// The controller of an object.
import type { OwnerReference } from '@capi-serverless/apimachinery';

/** Returns `undefined` if the object has no controller. */
export function controllerUid({
  ownerReferences = [],
}: {
  readonly ownerReferences?: readonly OwnerReference[];
}): string | undefined {
  return ownerReferences.find(({ controller }) => controller === true)?.uid;
}
