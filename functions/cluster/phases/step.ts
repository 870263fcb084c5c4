// What a phase does to the Cluster, as data. It is planned once; the outcomes of named writes choose between its branches.

import type { Checked, Instant } from '@capi-serverless/apimachinery';
import { setV1Beta1Condition, type V1Beta1Condition, type V1Beta1Draft } from '@capi-serverless/cluster-api/conditions';
import type { Endpoint, FailureDomain } from '@capi-serverless/cluster-api/contract';
import { type EventDraft, failureOf, type Outcomes } from '@capi-serverless/reconciler';
import type { Role } from './scope.ts';

/** Deprecated failure fields; never cleared once set. */
export interface Failure {
  readonly failureReason?: string;
  readonly failureMessage?: string;
}

/** Why the Cluster still exists although its deletion was requested. */
export interface Deleting {
  readonly reason: string;
  readonly message: string;
}

/** The Cluster after the steps so far. */
export interface PhaseProgress {
  readonly infrastructureProvisioned: boolean;
  readonly controlPlaneInitialized: boolean;
  /** `undefined`: as stored. */
  readonly failureDomains: readonly FailureDomain[] | undefined;
  readonly deleting: Deleting;
  readonly failure: Failure;
  readonly v1beta1: readonly V1Beta1Condition[];
  readonly errors: readonly string[];
  /** Milliseconds until the next reconcile, one for each phase that needs one. */
  readonly requeues: readonly number[];
  readonly events: readonly EventDraft[];
}

type Replaced = 'infrastructureProvisioned' | 'controlPlaneInitialized' | 'failureDomains' | 'deleting';

/** An absent field changes nothing. `failure` and `v1beta1` are merged, errors, requeues and events are appended. */
export interface Change extends Partial<Pick<PhaseProgress, Replaced>> {
  readonly failure?: Failure;
  readonly v1beta1?: readonly (V1Beta1Draft | undefined)[];
  readonly errors?: readonly string[];
  readonly requeues?: readonly number[];
  readonly events?: readonly EventDraft[];
}

/** A write that a step depends on. */
export interface NeededWrite {
  /** Of the action. */
  readonly id: string;
  /** Begins the error of a failed write. `undefined`: another step reports it. */
  readonly problem: string | undefined;
}

/** The endpoint that an object reports. */
export interface EndpointOffer {
  readonly role: Role;
  readonly endpoint: Checked<Endpoint>;
}

export interface PhaseStep {
  /** Holds unless one of `needs` failed. */
  readonly change: Change;
  /** Default: none. */
  readonly needs?: readonly NeededWrite[];
  /** Holds instead of `change` if one of `needs` failed. Default: nothing changes. */
  readonly otherwise?: Change;
  /** Follows `change`, unless the Cluster lacks an endpoint and this one cannot be read. */
  readonly offer?: EndpointOffer & { readonly change: Change };
}

/** A step that always changes the same. */
export function always(change: Change): PhaseStep {
  return { change };
}

/** A step that changes nothing. */
export const noChange: PhaseStep = always({});

export function failedStep(error: string): PhaseStep {
  return always({ errors: [error] });
}

export interface Applying {
  readonly outcomes: Outcomes;
  readonly now: Instant;
  /** Why an offered endpoint could not be read, of the objects whose endpoint was needed. */
  readonly endpointErrors: Readonly<Partial<Record<Role, string>>>;
}

/** The Cluster after this step, given what the writes of the pass met. */
export function applyStep(
  progress: PhaseProgress,
  step: PhaseStep,
  { outcomes, now, endpointErrors }: Applying,
): PhaseProgress {
  const { change, needs = [], otherwise = {}, offer } = step;
  const failed = needs.flatMap(({ id, problem }) => {
    const failure = failureOf(outcomes, id);
    return failure === undefined ? [] : [{ problem, message: failure.message }];
  });
  if (failed.length > 0) {
    const errors = failed.flatMap(({ problem, message }) => (problem === undefined ? [] : [`${problem}: ${message}`]));
    return applyChange(applyChange(progress, { errors }, now), otherwise, now);
  }
  const changed = applyChange(progress, change, now);
  if (offer === undefined) {
    return changed;
  }
  const error = endpointErrors[offer.role];
  return applyChange(changed, error === undefined ? offer.change : { errors: [error] }, now);
}

function applyChange(progress: PhaseProgress, change: Change, now: Instant): PhaseProgress {
  const { failure, v1beta1 = [], errors = [], requeues = [], events = [], ...replaced } = change;
  return {
    ...progress,
    ...replaced,
    failure: { ...progress.failure, ...failure },
    v1beta1: v1beta1.reduce<readonly V1Beta1Condition[]>(
      (list, draft) => setV1Beta1Condition(list, draft, { now }),
      progress.v1beta1,
    ),
    errors: [...progress.errors, ...errors],
    requeues: [...progress.requeues, ...requeues],
    events: [...progress.events, ...events],
  };
}
