// Compares two conditions. The transition time is ignored.
import type { ReportedCondition, V1Beta1Draft } from './condition.ts';

/** Compares type, status, reason and message. */
export function hasSameStateExceptGeneration(a: ReportedCondition, b: ReportedCondition): boolean {
  return a.type === b.type && a.status === b.status && a.reason === b.reason && a.message === b.message;
}

/** Compares type, status, reason, message and observedGeneration. */
export function hasSameState(a: ReportedCondition, b: ReportedCondition): boolean {
  return hasSameStateExceptGeneration(a, b) && (a.observedGeneration ?? 0) === (b.observedGeneration ?? 0);
}

/** Compares type, status, reason, severity and message. Absent equals empty. */
export function hasSameV1Beta1State(a: V1Beta1Draft, b: V1Beta1Draft): boolean {
  return (
    a.type === b.type &&
    a.status === b.status &&
    (a.reason ?? '') === (b.reason ?? '') &&
    (a.severity ?? '') === (b.severity ?? '') &&
    (a.message ?? '') === (b.message ?? '')
  );
}
