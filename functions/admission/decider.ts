// The rules of one kind behind its hooks, and the port with which they read.
import type { JsonObject, Reads, Watches } from '@capi-serverless/apimachinery';
import type { AdmissionGates } from '../../shared/admission/cluster-class.ts';
import type { DenialStatus } from '../../shared/admission/denial-status.ts';
import type { RuleGates } from '../../shared/admission/kinds/kind-rules.ts';
import type { ReviewDecision } from './review.ts';

export interface ReviewedWrite {
  readonly operation: string;
  /** "" if the name will be generated. */
  readonly name: string;
  readonly object: JsonObject;
  /** `undefined` for a new object, and for a default hook that received none. */
  readonly old: JsonObject | undefined;
}

interface ReviewedDelete {
  readonly name: string;
  readonly object: JsonObject;
}

export type DefaultsDecision =
  | { readonly allowed: true; readonly object: JsonObject }
  | { readonly allowed: false; readonly status: DenialStatus };

export interface Decider {
  /** Absent: the kind has no defaults. */
  readonly defaults?: (write: ReviewedWrite) => DefaultsDecision | Promise<DefaultsDecision>;
  readonly validate: (write: ReviewedWrite) => ReviewDecision | Promise<ReviewDecision>;
  /** Absent: every deletion is allowed. */
  readonly validateDelete?: (deleted: ReviewedDelete) => Promise<ReviewDecision>;
}

/** The reads of one decision. They end when the time of the API server for this answer is up. */
export interface DecisionPorts {
  readonly gates: AdmissionGates & RuleGates;
  /** Rejects with ReviewReadError if there is no API server to read from. */
  readonly connect: () => Promise<Reads & { readonly watches: Pick<Watches, 'page'> }>;
  readonly sleep: (ms: number) => Promise<void>;
  readonly now: () => number;
  readonly signal: AbortSignal;
}

export type CreateDecider = (ports: DecisionPorts) => Decider;
