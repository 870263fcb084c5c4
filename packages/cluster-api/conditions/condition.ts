// The element types of both condition families of Cluster API, and the reasons that merges set.

export type ConditionStatus = 'True' | 'False' | 'Unknown';

/** The condition to set. An absent message is "". An absent time is the time of the write. */
export interface ConditionDraft {
  readonly type: string;
  readonly status: ConditionStatus;
  readonly reason: string;
  readonly message?: string;
  /** The time in RFC 3339 format. */
  readonly lastTransitionTime?: string;
}

/** A condition of any object. Providers may omit the time. */
export interface ReportedCondition extends ConditionDraft {
  readonly message: string;
  readonly observedGeneration?: number;
}

/**
 * A stored condition of the v1beta2 family. The time is RFC 3339 UTC in whole seconds, and the message is always
 * present.
 */
export interface Condition extends ReportedCondition {
  readonly lastTransitionTime: string;
}

export type Severity = 'Error' | 'Warning' | 'Info';

/** A condition of the deprecated family without a time. Status and severity of a provider are not validated. */
export interface V1Beta1Draft {
  readonly type: string;
  readonly status: string;
  readonly severity?: string;
  readonly lastTransitionTime?: string;
  readonly reason?: string;
  readonly message?: string;
}

/** A stored condition of the deprecated family. An empty severity, reason or message is absent. */
export interface V1Beta1Condition extends V1Beta1Draft {
  readonly lastTransitionTime: string;
}

/** The replacement for a reason that a provider omitted. */
export const noReasonReported = 'NoReasonReported';
/** The reason of a condition that the source does not report. */
export const notYetReported = 'NotYetReported';
