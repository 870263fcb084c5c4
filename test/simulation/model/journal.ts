// What happened in one run of the model, and what of it must not have happened.
import type { Instant } from '../../../shared/api/object.ts';
import type { Loss } from './variants.ts';

/** An object of the model: its index. */
export type ObjectId = number;

export interface Verdict {
  readonly losses: ReadonlySet<Loss>;
  readonly reconciles: number;
  readonly deadLetters: number;
}

interface Moment {
  readonly object: ObjectId;
  readonly at: Instant;
}

/** How late a change may be read, or a wish to look again be met: longer than a resync and the worst chain of faults. */
const patienceMs = 240_000;

export class Journal {
  readonly #changes: Moment[] = [];
  /** When another look is due that a reconcile asked for, and when it asked. */
  readonly #promises: (Moment & { readonly due: Instant })[] = [];
  readonly #starts: Moment[] = [];
  /** When a state was read by a reconcile that then ended well. */
  readonly #reads: Moment[] = [];
  readonly #running = new Map<ObjectId, number>();
  readonly #given: ObjectId[] = [];
  #overlapped = false;

  changed(object: ObjectId, at: Instant): void {
    this.#changes.push({ object, at });
  }

  started(object: ObjectId, at: Instant): void {
    const running = (this.#running.get(object) ?? 0) + 1;
    this.#overlapped ||= running > 1;
    this.#running.set(object, running);
    this.#starts.push({ object, at });
  }

  stopped(object: ObjectId): void {
    this.#running.set(object, (this.#running.get(object) ?? 0) - 1);
  }

  read(object: ObjectId, at: Instant): void {
    this.#reads.push({ object, at });
  }

  promised(object: ObjectId, at: Instant, due: Instant): void {
    this.#promises.push({ object, at, due });
  }

  /** Nothing is promised for an object whose message killed the function five times. */
  gaveUp(object: ObjectId): void {
    this.#given.push(object);
  }

  /** `until`: when the run was cut off; what was still to come then is not judged. Infinity: it fell silent. */
  judge(until: Instant): Verdict {
    const losses = new Set<Loss>(this.#overlapped ? ['overlap'] : []);
    const counts = ({ object }: Moment, by: Instant): boolean =>
      !this.#given.includes(object) && (until === Infinity || by <= until);
    const isLost = (moments: readonly Moment[], since: Moment, due: Instant): boolean =>
      counts(since, due + patienceMs) && !within(moments, since, due + patienceMs);
    if (this.#changes.some(change => isLost(this.#reads, change, change.at))) {
      losses.add('change');
    }
    if (this.#promises.some(promise => isLost(this.#starts, promise, promise.due))) {
      losses.add('timer');
    }
    return { losses, reconciles: this.#starts.length, deadLetters: this.#given.length };
  }
}

function within(moments: readonly Moment[], { object, at }: Moment, until: Instant): boolean {
  return moments.some(moment => moment.object === object && moment.at >= at && moment.at <= until);
}
