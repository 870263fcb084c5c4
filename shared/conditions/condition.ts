// The element types of both condition families of Cluster API, and the reasons the algebra itself gives.

export type ConditionStatus = 'True' | 'False' | 'Unknown';

/** What a reconciler wants a condition to say. An absent message is ""; an absent time is the moment of setting. */
export interface ConditionDraft {
  readonly type: string;
  readonly status: ConditionStatus;
  readonly reason: string;
  readonly message?: string;
  /** RFC 3339. */
  readonly lastTransitionTime?: string;
}

/** A condition as some object reports it: providers may leave the time out. */
export interface ReportedCondition extends ConditionDraft {
  readonly message: string;
  readonly observedGeneration?: number;
}

/** A condition of the v1beta2 family as it is stored: RFC 3339 UTC in whole seconds, message always present. */
export interface Condition extends ReportedCondition {
  readonly lastTransitionTime: string;
}

export type Severity = 'Error' | 'Warning' | 'Info';

/** A condition of the deprecated family before it has a time. Status and severity may come from a provider, unchecked. */
export interface V1Beta1Draft {
  readonly type: string;
  readonly status: string;
  readonly severity?: string;
  readonly lastTransitionTime?: string;
  readonly reason?: string;
  readonly message?: string;
}

/** A condition of the deprecated family as it is stored; empty severity, reason and message are absent. */
export interface V1Beta1Condition extends V1Beta1Draft {
  readonly lastTransitionTime: string;
}

/** Stands in for a reason that a provider left out. */
export const noReasonReported = 'NoReasonReported';
/** The reason of a condition that its source has not reported. */
export const notYetReported = 'NotYetReported';
