// The input of the phases in one pass: the result of observe, and the external objects that this Cluster owns.

import type { Instant, Unstructured } from '@capi-serverless/apimachinery';
import type { ContractVersion } from '@capi-serverless/cluster-api/contract';
import type { ContractReference } from '../../../shared/api/cluster/reader.ts';
import type { ObservedCluster } from '../seen.ts';
import type { Descendants } from './descendants.ts';

/** The two kinds of objects that a Cluster references. */
export type ExternalRole = 'infrastructure' | 'controlPlane';

/** An object that the Cluster references, that was read, and that has the owner reference of this Cluster. */
export interface InScope {
  readonly state: 'inScope';
  readonly ref: ContractReference;
  readonly object: Unstructured;
  readonly contract: ContractVersion;
}

export type Scoped =
  | { readonly state: 'undefined' }
  | { readonly state: 'missing'; readonly ref: ContractReference }
  /** The Cluster references the object, but the object is neither in scope nor known to be missing. */
  | { readonly state: 'unknown'; readonly ref: ContractReference }
  | InScope;

export interface PhaseScope {
  readonly seen: ObservedCluster;
  readonly now: Instant;
  readonly infrastructure: Scoped;
  readonly controlPlane: Scoped;
  readonly descendants: Descendants;
}
