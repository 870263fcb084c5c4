// Divides the objects of a batch: those that may have ended an earlier process are reconciled alone, or not at all
// (docs/decisions/0067-attributed-deaths.md). Pure.
import type { TrialLimits } from '../workqueue/message.ts';
import { workReceives } from '../workqueue/queue-specs.ts';
import type { KeyWork } from './coalesce.ts';

interface Suspect {
  readonly work: KeyWork;
  /** Undefined if nothing is known against the object. */
  readonly trial: TrialLimits | undefined;
}

interface Division {
  /** Reconciled together. */
  readonly usual: readonly KeyWork[];
  /** Reconciled after all others are acknowledged. */
  readonly alone: (Suspect & { readonly trial: TrialLimits }) | undefined;
  /** Sent again, as messages of their own. */
  readonly resent: readonly Suspect[];
  /** Their reconciles ended two processes. */
  readonly exhausted: readonly KeyWork[];
}

const mostDeaths = 2;

/** A first death makes a suspect, because the other messages of the batch have the same number of deliveries. */
export function divide(work: readonly KeyWork[]): Division {
  const usual: KeyWork[] = [];
  const resent: Suspect[] = [];
  const exhausted: KeyWork[] = [];
  let alone: Division['alone'];
  for (const one of work) {
    const trial = trialOf(one);
    if (one.deaths + Number(one.trial !== undefined) >= mostDeaths) {
      exhausted.push(one);
    } else if (one.receiveCount >= workReceives) {
      // The next delivery would be a dead letter.
      resent.push({ work: one, trial });
    } else if (trial === undefined) {
      usual.push(one);
    } else if (alone === undefined) {
      alone = { work: one, trial };
    } else {
      resent.push({ work: one, trial });
    }
  }
  return { usual, alone, resent, exhausted };
}

/** Returns how the object must be reconciled because of an earlier death. */
export function trialOf({ deaths, trial }: KeyWork): TrialLimits | undefined {
  return trial ?? (deaths > 0 ? 'half' : undefined);
}
