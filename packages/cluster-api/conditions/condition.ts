// The element types of both condition families of Cluster API, and the reasons that merges set themselves.

export type ConditionStatus = 'True' | 'False' | 'Unknown';

/** The condition to set. An absent message is ""; an absent time is the time of the write. */
export interface ConditionDraft {
  readonly type: string;
  readonly status: ConditionStatus;
  readonly reason: string;
  readonly message?: string;
  /** RFC 3339. */
  readonly lastTransitionTime?: string;
}

/** A condition of any object: providers may omit the time. */
export interface ReportedCondition extends ConditionDraft {
  readonly message: string;
  readonly observedGeneration?: number;
}

/** A stored condition of the v1beta2 family: RFC 3339 UTC in whole seconds, message always present. */
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

/** A stored condition of the deprecated family; empty severity, reason and message are absent. */
export interface V1Beta1Condition extends V1Beta1Draft {
  readonly lastTransitionTime: string;
}

/** Replaces a reason that a provider omitted. */
export const noReasonReported = 'NoReasonReported';
/** The reason of a condition that the source does not report. */
export const notYetReported = 'NotYetReported';
