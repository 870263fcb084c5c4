// Whether an object has this controller. Pure.
import type { ObjectMeta } from '@capi-serverless/apimachinery';

export function isControlledBy(
  { metadata: { ownerReferences = [] } }: { readonly metadata: Pick<ObjectMeta, 'ownerReferences'> },
  uid: string,
): boolean {
  return ownerReferences.some(owner => owner.controller === true && owner.uid === uid);
}
