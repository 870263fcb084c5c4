// What the phases of a pass change in the status of the Machine.
import type { Instant, JsonObject } from '@capi-serverless/apimachinery';
import {
  setV1Beta1Conditions,
  type V1Beta1Condition,
  type V1Beta1Draft,
} from '@capi-serverless/cluster-api/conditions';
import type { MachineAddress } from '@capi-serverless/cluster-api/contract';
import { applied, type PassChange, type PassProgress, type Phase, type Step } from '@capi-serverless/reconciler';
import type { DeprecatedFailure } from '../../../shared/external/external.ts';

/** The reason and the message of a condition that reports what the Machine waits for. */
export interface Stage {
  readonly reason: string;
  readonly message: string;
}

/** The start times in `status.deletion`. They are set once and never cleared. */
export type DeletionTime =
  | 'nodeDrainStartTime'
  | 'waitForNodeVolumeDetachStartTime'
  | 'waitForPreDrainHookStartTime'
  | 'waitForPreTerminateHookStartTime';

interface Replaced {
  readonly infrastructureProvisioned: boolean;
  readonly bootstrapDataSecretCreated: boolean;
  /** If `undefined`, the stored value is kept. This also applies to the next fields. */
  readonly addresses: readonly MachineAddress[] | undefined;
  readonly failureDomain: string | undefined;
  readonly nodeRef: string | undefined;
  readonly nodeInfo: JsonObject | undefined;
  /** RFC 3339. `null` removes the stored value. */
  readonly certificatesExpiryDate: string | null | undefined;
  /** Why the Machine still exists although its deletion was requested. */
  readonly deleting: Stage | undefined;
  /** What the in-place update waits for. */
  readonly updating: Stage | undefined;
  /** Whether the annotation and the pending hook of an in-place update are gone after this pass. */
  readonly isUpdateDone: boolean;
}

/** The state of the Machine after the previous steps. */
export interface MachineProgress extends PassProgress, Replaced {
  /** The start times that this pass sets. */
  readonly deletionTimes: Readonly<Partial<Record<DeletionTime, string>>>;
  /** The fields of the spec that this pass sets. */
  readonly spec: SpecChange;
  readonly failure: DeprecatedFailure;
  readonly v1beta1: readonly V1Beta1Condition[];
  /** Errors after which a timer requests the next pass, without backoff. The observed generation is not stored. */
  readonly deferredErrors: readonly string[];
  /** The milliseconds until the next reconcile after an error, instead of the backoff. */
  readonly retries: readonly number[];
}

/** What the Machine remembers the first failure of. */
export const failureKinds = ['connection', 'nodeDeletion', 'nodeLookup'] as const;

export type FailureKind = (typeof failureKinds)[number];

/** The changes of the remembered times. `null` removes a time. An absent kind is kept. */
export type FailureChange = Readonly<Partial<Record<FailureKind, Instant | null>>>;

/** The values that objects of providers report, and that the spec of the Machine stores. */
export interface SpecChange {
  readonly providerID?: string;
  readonly failureDomain?: string;
  readonly dataSecretName?: string;
}

/** Objects and `v1beta1` are merged. Lists are appended. */
export interface MachineChange extends PassChange, Partial<Replaced> {
  readonly deletionTimes?: MachineProgress['deletionTimes'];
  readonly spec?: SpecChange;
  readonly failure?: DeprecatedFailure;
  readonly v1beta1?: readonly (V1Beta1Draft | undefined)[];
  readonly deferredErrors?: readonly string[];
  readonly retries?: readonly number[];
  /** The phase of the first failures stores it. */
  readonly firstFailures?: FailureChange;
}

export type MachinePhase = Phase<MachineChange>;

export type MachineStep = Step<MachineChange>;

export function applyChange(progress: MachineProgress, change: MachineChange, now: Instant): MachineProgress {
  const { deletionTimes, spec, failure, v1beta1 = [], firstFailures: _, ...others } = change;
  const { deferredErrors = [], retries = [], ...common } = others;
  return {
    ...applied(progress, common),
    deletionTimes: { ...progress.deletionTimes, ...deletionTimes },
    spec: { ...progress.spec, ...spec },
    failure: { ...progress.failure, ...failure },
    v1beta1: setV1Beta1Conditions(progress.v1beta1, v1beta1, { now }),
    deferredErrors: [...progress.deferredErrors, ...deferredErrors],
    retries: [...progress.retries, ...retries],
  };
}
