// The progress of simulated work. It follows from the start time and the clock only, because the process stores no
// state.
import type { Instant } from '@capi-serverless/apimachinery';

type Progress<Step> =
  | { readonly done: true }
  /** `fraction` is less than 1. `secondsLeft` is the time until the next step begins or the work is done. */
  | { readonly done: false; readonly step: Step; readonly fraction: number; readonly secondsLeft: number };

interface Work<Step> {
  /** All steps have equal shares of the time. */
  readonly steps: readonly [Step, ...Step[]];
  readonly startedAt: Instant;
  readonly seconds: number;
  readonly now: Instant;
  /** If true, the work never completes. */
  readonly held: boolean;
}

export function progressOf<Step>({ steps, startedAt, seconds, now, held }: Work<Step>): Progress<Step> {
  const total = seconds * 1000;
  const elapsed = Math.max(0, now - startedAt);
  if (elapsed >= total && !held) {
    return { done: true };
  }
  const index = total === 0 ? 0 : Math.min(steps.length - 1, Math.floor((elapsed / total) * steps.length));
  const boundary = ((index + 1) * total) / steps.length;
  return {
    done: false,
    step: steps[index] ?? steps[0],
    fraction: index / steps.length,
    secondsLeft: Math.max(0, boundary - elapsed) / 1000,
  };
}

/** Returns the instant in a status field, or `otherwise` if the field is not set. */
export function toInstant(text: string | undefined, otherwise: Instant): Instant {
  const instant = Date.parse(text ?? '');
  return Number.isNaN(instant) ? otherwise : instant;
}

export function toTime(instant: Instant): string {
  return new Date(instant).toISOString();
}
