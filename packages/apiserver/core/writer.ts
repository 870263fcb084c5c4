// The writes of an API server.
import type { DeleteOptions } from '@capi-serverless/apimachinery';
import type { AppliedObject, Apply } from './apply-object.ts';
import type { Deleted } from './delete.ts';
import type { Address, ResourceEndpoint, Subresource } from './kinds.ts';
import type { Stored } from './object.ts';
import type { Patch } from './update.ts';

/** Each request throws StatusError if it is refused. Returned objects are deep-frozen. */
export interface ApiWriter {
  create(endpoint: ResourceEndpoint, namespace: string, body: unknown): Stored;
  /** The body and the result of a write with the subresource `scale` are Scales. */
  update(address: Address, body: unknown, subresource?: Subresource): Stored;
  patch(address: Address, patch: Patch, subresource?: Subresource): Stored;
  apply(address: Address, apply: Apply, subresource?: 'status'): AppliedObject;
  delete(address: Address, options?: DeleteOptions): Deleted;
  /** Deletes a Pod, if its PodDisruptionBudget allows it. */
  evict(address: Address, options?: DeleteOptions): void;
}
