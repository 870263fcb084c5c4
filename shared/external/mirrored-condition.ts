// Mirrors a condition of a referenced object, for example Ready as InfrastructureReady. Pure.
import {
  type ConditionDraft,
  internalError,
  mirrorConditionOf,
  noReasonReported,
} from '@capi-serverless/cluster-api/conditions';
import type { InScope, Scoped } from './external.ts';

interface ReasonAndMessage {
  readonly reason: string;
  readonly message: string;
}

export interface MirroredCondition {
  readonly type: string;
  /** The condition of the object. It is also the reason while it is True, and with the prefix `Not` while it is False. */
  readonly source: 'Ready' | 'Available';
  /** The name of the status field that is used if the object does not report the condition. */
  readonly field: string;
  /** The value of this field in the status of the owner after this pass. */
  readonly isAchieved: boolean;
  /** The reason and message if the object is missing. */
  readonly missing: (kind: string) => ReasonAndMessage;
}

/** Returns InternalError if the reference is not set or the object is unknown. */
export function mirrorReferenced(scoped: Scoped, rules: MirroredCondition): ConditionDraft {
  const { type, missing } = rules;
  switch (scoped.state) {
    case 'undefined':
    case 'unknown':
      return internalError(type);
    case 'missing':
      return { type, status: 'False', ...missing(scoped.ref.kind) };
    case 'inScope':
      return fromObject(scoped, rules);
  }
}

/** The object existed before. `detail` follows the text. */
export function objectDeleted(kind: string, detail = ''): ReasonAndMessage {
  return { reason: 'ObjectDeleted', message: `${kind} has been deleted${detail}` };
}

/** The object did not exist in any earlier pass. */
export function objectDoesNotExist(kind: string): ReasonAndMessage {
  return { reason: 'ObjectDoesNotExist', message: `${kind} does not exist` };
}

function fromObject({ object, ref }: InScope, { type, source, field, isAchieved }: MirroredCondition): ConditionDraft {
  const fallback = isAchieved
    ? { status: 'True' as const, reason: source, message: '' }
    : { status: 'False' as const, reason: `Not${source}`, message: `${ref.kind} ${field} is false` };
  const mirrored = mirrorConditionOf(object, source, { targetType: type, fallback });
  if (!mirrored.ok) {
    return { type, status: 'Unknown', reason: 'InvalidConditionReported', message: mirrored.error };
  }
  const { status, reason } = mirrored.value;
  return status === 'True' && reason === noReasonReported ? { ...mirrored.value, reason: source } : mirrored.value;
}
