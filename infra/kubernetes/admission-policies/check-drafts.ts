// Builds rows of the table of checks. Messages have the form of field errors: field, type, value and detail.

import { literal } from './expressions.ts';
import type { CheckState, PolicyCheck, PolicyKind, VerdictDifference } from './policy-check.ts';

export interface CheckDraft {
  readonly rule: string;
  /** True for an object that is accepted. */
  readonly expression: string;
  readonly field: string;
  /** Default: `Invalid value`. */
  readonly type?: 'Forbidden' | 'Required value' | 'Too long';
  /** A CEL expression of the printed value. */
  readonly value?: string;
  readonly detail: string;
  /** A CEL expression of the detail, if it depends on the object. */
  readonly detailExpression?: string;
  /** A CEL expression of the field, if it depends on the object. */
  readonly fieldExpression?: string;
  readonly reason?: 'Forbidden';
  readonly state?: CheckState;
  readonly readsClaims?: true;
  readonly hasShortText?: true;
  readonly verdictDiffers?: VerdictDifference;
}

export function toChecks(kind: PolicyKind, drafts: readonly CheckDraft[]): readonly PolicyCheck[] {
  return drafts.map(draft => toCheck(kind, draft));
}

function toCheck(kind: PolicyKind, draft: CheckDraft): PolicyCheck {
  const { field, type = 'Invalid value', value, detail, detailExpression, fieldExpression, ...row } = draft;
  const start = `${fieldExpression ?? literal(field)} + ${literal(`: ${type}: `)}`;
  const shownValue = value === undefined ? '' : ` + ${value} + ': '`;
  const isStatic = value === undefined && detailExpression === undefined && fieldExpression === undefined;
  return {
    ...row,
    kind,
    message: `${field}: ${type}: ${detail}`,
    ...(isStatic ? {} : { messageExpression: `${start}${shownValue} + ${detailExpression ?? literal(detail)}` }),
  };
}
