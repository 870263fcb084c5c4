// A Machine and the objects that belong to it, as they were read. This is the input of the tree and the explanation.
import type { Unstructured } from '@capi-serverless/apimachinery';
import type { Referred } from '../../../shared/explain/referred.ts';

export interface MachineSnapshot {
  readonly machine: Unstructured;
  /** `undefined` if it could not be read. */
  readonly cluster: Unstructured | undefined;
  /** `undefined` if the Machine has no reference. */
  readonly bootstrap: Referred | undefined;
  readonly infrastructure: Referred | undefined;
}
