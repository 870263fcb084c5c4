// What the phases of one pass work on: the objects in scope, what writes met, and what the Cluster has become so far.
import type { ContractReference } from '../../../shared/api/cluster/reader.ts';
import type { Instant, Unstructured } from '../../../shared/api/object.ts';
import type { V1Beta1Condition, V1Beta1Draft } from '../../../shared/conditions/condition.ts';
import { setV1Beta1Condition } from '../../../shared/conditions/v1beta1.ts';
import type { ContractVersion } from '../../../shared/contract/contract-version.ts';
import type { Endpoint } from '../../../shared/contract/endpoint.ts';
import type { FailureDomain } from '../../../shared/contract/infra-cluster.ts';
import type { EventDraft, Outcomes } from '../../../shared/kernel/types.ts';
import type { WholeView } from '../seen.ts';
import type { Descendants } from './descendants.ts';

/** An external object that could be read, is marked as this Cluster's, and can be worked with. */
export interface InScope {
  readonly state: 'inScope';
  readonly ref: ContractReference;
  readonly object: Unstructured;
  readonly contract: ContractVersion;
}

export type Scoped =
  | { readonly state: 'undefined' }
  | { readonly state: 'missing'; readonly ref: ContractReference }
  /** Named, and neither in scope nor known to be missing. */
  | { readonly state: 'unknown'; readonly ref: ContractReference; readonly error: string }
  | InScope;

/** Deprecated failure fields; never cleared once set. */
export interface Failure {
  readonly failureReason?: string;
  readonly failureMessage?: string;
}

/** Why the Cluster still exists although its deletion was asked for. */
export interface Deleting {
  readonly reason: string;
  readonly message: string;
}

/** The Cluster as the phases leave it. Each phase returns the next one. */
export interface Progress {
  readonly endpoint: Endpoint;
  readonly infrastructureProvisioned: boolean;
  readonly controlPlaneInitialized: boolean;
  /** `undefined`: as stored. */
  readonly failureDomains: readonly FailureDomain[] | undefined;
  readonly failure: Failure;
  readonly v1beta1: readonly V1Beta1Condition[];
  readonly deleting: Deleting;
  readonly errors: readonly string[];
  /** Milliseconds until this Cluster wants to be looked at again. */
  readonly requeues: readonly number[];
  readonly events: readonly EventDraft[];
}

export interface PhaseContext {
  readonly seen: WholeView;
  /** What the writes of this pass met. A write without outcome is taken to succeed. */
  readonly outcomes: Outcomes;
  readonly now: Instant;
  readonly infrastructure: Scoped;
  readonly controlPlane: Scoped;
  readonly descendants: Descendants;
}

export type Phase = (context: PhaseContext, progress: Progress) => Progress;

export function withError(progress: Progress, error: string): Progress {
  return { ...progress, errors: [...progress.errors, error] };
}

export function withRequeue(progress: Progress, ms: number): Progress {
  return { ...progress, requeues: [...progress.requeues, ms] };
}

export function withEvent(progress: Progress, reason: string, message: string): Progress {
  return { ...progress, events: [...progress.events, { type: 'Normal', reason, message }] };
}

export function withV1Beta1(progress: Progress, draft: V1Beta1Draft | undefined, now: Instant): Progress {
  return { ...progress, v1beta1: setV1Beta1Condition(progress.v1beta1, draft, { now }) };
}
