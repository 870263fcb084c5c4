// The effect of a phase on the Machine, as data. A step is planned once. The outcomes of named writes select its change.
import type { Instant, JsonObject } from '@capi-serverless/apimachinery';
import { setV1Beta1Condition, type V1Beta1Condition, type V1Beta1Draft } from '@capi-serverless/cluster-api/conditions';
import type { MachineAddress } from '@capi-serverless/cluster-api/contract';
import { type EventDraft, failedWrites, type NeededWrite, type Outcomes } from '@capi-serverless/reconciler';
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

interface ReplacedFields {
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
export interface MachineProgress extends ReplacedFields {
  /** The start times that this pass sets. */
  readonly deletionTimes: Readonly<Partial<Record<DeletionTime, string>>>;
  /** The fields of the spec that this pass sets. */
  readonly spec: SpecChange;
  readonly failure: DeprecatedFailure;
  readonly v1beta1: readonly V1Beta1Condition[];
  readonly errors: readonly string[];
  /** Errors after which a timer requests the next pass, without backoff. The observed generation is not stored. */
  readonly deferredErrors: readonly string[];
  /** The milliseconds until the next reconcile, for each phase that requests one. */
  readonly requeues: readonly number[];
  /** The milliseconds until the next reconcile after an error, instead of the backoff. */
  readonly retries: readonly number[];
  readonly events: readonly EventDraft[];
  /** Whether another pass must observe the writes of this one. */
  readonly again: boolean;
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

/** An absent field changes nothing. Objects are merged, and lists are appended. */
export interface MachineChange extends Partial<Omit<ReplacedFields, 'nodeInfo'>> {
  readonly nodeInfo?: JsonObject | undefined;
  readonly deletionTimes?: MachineProgress['deletionTimes'];
  readonly spec?: SpecChange;
  readonly failure?: DeprecatedFailure;
  readonly v1beta1?: readonly (V1Beta1Draft | undefined)[];
  readonly errors?: readonly string[];
  readonly deferredErrors?: readonly string[];
  readonly requeues?: readonly number[];
  readonly retries?: readonly number[];
  readonly events?: readonly EventDraft[];
  readonly firstFailures?: FailureChange;
  readonly again?: true;
}

export interface MachineStep {
  /** The change if none of `needs` failed. */
  readonly change: MachineChange;
  /** The change that follows `change` and contains results of writes. Pure. */
  readonly after?: (outcomes: Outcomes) => MachineChange;
  /** Default: no writes. */
  readonly needs?: readonly NeededWrite[];
  /** The change if one of `needs` failed. Their errors are added. Default: no further change. */
  readonly otherwise?: MachineChange;
}

export function always(change: MachineChange): MachineStep {
  return { change };
}

export function failedStep(error: string): MachineStep {
  return always({ errors: [error] });
}

interface Applying {
  readonly outcomes: Outcomes;
  readonly now: Instant;
}

/** Returns the changes of this step for the given outcomes, in order. */
export function changesOf(
  { change, after = () => ({}), needs = [], otherwise = {} }: MachineStep,
  outcomes: Outcomes,
): readonly MachineChange[] {
  const errors = failedWrites(needs, outcomes);
  return errors === undefined ? [change, after(outcomes)] : [{ errors }, otherwise];
}

/** Returns the state of the Machine after this step, for the given outcomes. */
export function applyStep(progress: MachineProgress, step: MachineStep, { outcomes, now }: Applying): MachineProgress {
  return changesOf(step, outcomes).reduce((state, change) => applyChange(state, change, now), progress);
}

function applyChange(progress: MachineProgress, change: MachineChange, now: Instant): MachineProgress {
  const { deletionTimes, spec, failure, v1beta1 = [], firstFailures: _, ...others } = change;
  const { errors, deferredErrors, requeues, retries, events, ...replaced } = others;
  return {
    ...progress,
    ...replaced,
    deletionTimes: { ...progress.deletionTimes, ...deletionTimes },
    spec: { ...progress.spec, ...spec },
    failure: { ...progress.failure, ...failure },
    v1beta1: v1beta1.reduce<readonly V1Beta1Condition[]>(
      (list, draft) => setV1Beta1Condition(list, draft, { now }),
      progress.v1beta1,
    ),
    errors: [...progress.errors, ...(errors ?? [])],
    deferredErrors: [...progress.deferredErrors, ...(deferredErrors ?? [])],
    requeues: [...progress.requeues, ...(requeues ?? [])],
    retries: [...progress.retries, ...(retries ?? [])],
    events: [...progress.events, ...(events ?? [])],
  };
}
