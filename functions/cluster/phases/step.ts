// The effect of a phase on the Cluster, as data. The step is planned once. The outcomes of named writes select its
// branch.

import type { Checked, Instant } from '@capi-serverless/apimachinery';
import { setV1Beta1Condition, type V1Beta1Condition, type V1Beta1Draft } from '@capi-serverless/cluster-api/conditions';
import type { ControlPlaneEndpoint, FailureDomain } from '@capi-serverless/cluster-api/contract';
import { type EventDraft, failedWrites, type NeededWrite, type Outcomes } from '@capi-serverless/reconciler';
import type { DeprecatedFailure } from '../../../shared/external/external.ts';
import type { ExternalRole } from './scope.ts';

/** The reason why the Cluster still exists although its deletion was requested. */
export interface Deleting {
  readonly reason: string;
  readonly message: string;
}

/** The state of the Cluster after the previous steps. */
export interface PhaseProgress {
  readonly infrastructureProvisioned: boolean;
  readonly controlPlaneInitialized: boolean;
  /** If `undefined`, the stored failure domains are kept. */
  readonly failureDomains: readonly FailureDomain[] | undefined;
  readonly deleting: Deleting;
  readonly failure: DeprecatedFailure;
  readonly v1beta1: readonly V1Beta1Condition[];
  readonly errors: readonly string[];
  /** The milliseconds until the next reconcile, for each phase that requests one. */
  readonly requeues: readonly number[];
  readonly events: readonly EventDraft[];
}

type Replaced = 'infrastructureProvisioned' | 'controlPlaneInitialized' | 'failureDomains' | 'deleting';

/** An absent field changes nothing. `failure` and `v1beta1` are merged. Errors, requeues and events are appended. */
export interface PhaseChange extends Partial<Pick<PhaseProgress, Replaced>> {
  readonly failure?: DeprecatedFailure;
  readonly v1beta1?: readonly (V1Beta1Draft | undefined)[];
  readonly errors?: readonly string[];
  readonly requeues?: readonly number[];
  readonly events?: readonly EventDraft[];
}

/** The endpoint that an object reports. */
export interface EndpointOffer {
  readonly role: ExternalRole;
  readonly endpoint: Checked<ControlPlaneEndpoint>;
}

export interface PhaseStep {
  /** The change if none of `needs` failed. */
  readonly change: PhaseChange;
  /** Default: no writes. */
  readonly needs?: readonly NeededWrite[];
  /** The change if one of `needs` failed. Default: no change. */
  readonly otherwise?: PhaseChange;
  /**
   * The change that follows `change`. It is omitted if the Cluster needs the endpoint of this object and the endpoint
   * is unreadable.
   */
  readonly offer?: EndpointOffer & { readonly change: PhaseChange };
}

/** Returns a step with the same change for all outcomes. */
export function always(change: PhaseChange): PhaseStep {
  return { change };
}

/** A step that changes nothing. */
export const noChange: PhaseStep = always({});

export function failedStep(error: string): PhaseStep {
  return always({ errors: [error] });
}

interface Applying {
  readonly outcomes: Outcomes;
  readonly now: Instant;
  /** Returns the errors of objects whose endpoint was required but unreadable. */
  readonly endpointErrors: Readonly<Partial<Record<ExternalRole, string>>>;
}

/** Returns the state of the Cluster after this step, for the given outcomes. */
export function applyStep(
  progress: PhaseProgress,
  step: PhaseStep,
  { outcomes, now, endpointErrors }: Applying,
): PhaseProgress {
  const { change, needs = [], otherwise = {}, offer } = step;
  const errors = failedWrites(needs, outcomes);
  if (errors !== undefined) {
    return applyChange(applyChange(progress, { errors }, now), otherwise, now);
  }
  const changed = applyChange(progress, change, now);
  if (offer === undefined) {
    return changed;
  }
  const error = endpointErrors[offer.role];
  return applyChange(changed, error === undefined ? offer.change : { errors: [error] }, now);
}

function applyChange(progress: PhaseProgress, change: PhaseChange, now: Instant): PhaseProgress {
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
