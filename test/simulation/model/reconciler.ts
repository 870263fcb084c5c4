// The function behind the work queue: coalesce and follow up are the product's, only what a reconcile does is made up.
import { type Coalesced, coalesce, type Work } from '../../../shared/kernel/coalesce.ts';
import { toFollowUp } from '../../../shared/kernel/follow-up.ts';
import type { Result } from '../../../shared/kernel/types.ts';
import type { OutgoingMessage } from '../../../shared/workqueue/port.ts';
import { aDeclaration } from '../../support/kernel.ts';
import type { Random } from '../engine/random.ts';
import type { Scheduler } from '../engine/scheduler.ts';
import type { Journal } from './journal.ts';
import { crashRate, type Invocation } from './mapping.ts';
import { managementCluster, type Objects, reconcilerName, toObjectId, widgetKind } from './objects.ts';
import { type Channel, functionTimeoutSeconds, type Network } from './queues.ts';
import type { Variant } from './variants.ts';

const hangRate = 0.01;
const errorRate = 0.05;
const slowRate = 0.05;
/** Changes that are answered by a write, whose echo then wakes the object once more. */
const answerRate = 0.3;
const timeoutMs = functionTimeoutSeconds * 1_000;
/** Waits that a reconcile asks for while its object is not ready. */
const waitMs = [100, 40_000] as const;

const declaration = aDeclaration({ name: reconcilerName, primary: widgetKind, timeoutSeconds: functionTimeoutSeconds });

export interface ReconcilerOptions {
  readonly variant: Variant;
  readonly scheduler: Scheduler;
  readonly random: Random;
  readonly objects: Objects;
  readonly journal: Journal;
  readonly channel: Channel;
  readonly network: Network;
  readonly newId: () => string;
  /** What the clock of the instance that serves the next invocation is ahead, in ms. */
  readonly skew: () => number;
  /** Gives a message to the work queue the id that the variant wants. */
  readonly adapt: (message: OutgoingMessage, skewMs: number) => OutgoingMessage;
}

export class ModelReconciler {
  readonly #options: ReconcilerOptions;

  constructor(options: ReconcilerOptions) {
    this.#options = options;
  }

  serve(invocation: Invocation): void {
    const { scheduler, random } = this.#options;
    const batch = coalesce(invocation.messages, { declaration, managementCluster });
    const running = new Set<Work>(batch.work);
    const kill = (): void => {
      if (invocation.alive) {
        this.#stopAll(running);
        invocation.kill();
      }
    };
    scheduler.after(timeoutMs, kill, invocation);
    if (random.chance(crashRate)) {
      scheduler.after(random.between(0, 800), kill, invocation);
    }
    this.#reconcileAll(invocation, batch, running);
  }

  #stopAll(running: Set<Work>): void {
    for (const work of running) {
      this.#options.journal.stopped(toObjectId(work.key));
    }
    running.clear();
  }

  #reconcileAll(invocation: Invocation, { work: batch, refused }: Coalesced, running: Set<Work>): void {
    const { journal, scheduler } = this.#options;
    const failed = refused.map(({ messageId }) => messageId);
    let open = batch.length;
    const done = (failedIds: readonly string[]): void => {
      failed.push(...failedIds);
      open -= 1;
      if (open === 0) {
        scheduler.after(this.#options.random.between(2, 40), () => invocation.end(failed), invocation);
      }
    };
    for (const work of batch) {
      journal.started(toObjectId(work.key), scheduler.now);
      this.#reconcile(invocation, work, result => {
        journal.stopped(toObjectId(work.key));
        running.delete(work);
        this.#finish(invocation, { work, ...result }, done);
      });
    }
  }

  #reconcile(
    invocation: Invocation,
    work: Work,
    ended: (end: { result: Result; readAt: number | undefined }) => void,
  ): void {
    const { scheduler, random, objects } = this.#options;
    if (random.chance(hangRate)) {
      return;
    }
    const lasts = random.chance(slowRate) ? random.between(400, 6_000) : random.between(30, 400);
    const reads = random.between(0, lasts);
    scheduler.after(
      reads,
      () => {
        const readAt = scheduler.now;
        const { ready, news } = objects.read(toObjectId(work.key));
        const fails = random.chance(errorRate);
        if (news && !fails && random.chance(answerRate)) {
          scheduler.after(random.between(0, lasts - reads), () => objects.answer(toObjectId(work.key)), invocation);
        }
        scheduler.after(
          lasts - reads,
          () => ended(fails ? { result: failure, readAt: undefined } : { result: this.#resultOf(ready), readAt }),
          invocation,
        );
      },
      invocation,
    );
  }

  #resultOf(ready: boolean): Result {
    const [shortest, longest] = waitMs;
    const ms = Math.floor(shortest * (longest / shortest) ** this.#options.random.next());
    return ready ? { kind: 'done' } : { kind: 'requeueAfter', ms };
  }

  #finish(
    invocation: Invocation,
    { work, result, readAt }: { readonly work: Work; readonly result: Result; readonly readAt: number | undefined },
    done: (failedIds: readonly string[]) => void,
  ): void {
    const { variant, scheduler, journal, network, newId, skew, random, channel, adapt } = this.#options;
    const object = toObjectId(work.key);
    const skewMs = skew();
    const now = Math.floor(scheduler.now + skewMs);
    const resyncPeriodMs = variant.resyncPeriodMs;
    const followUp = toFollowUp(result, work, { reconciler: reconcilerName, now, resyncPeriodMs, newId });
    if (readAt !== undefined) {
      journal.read(object, readAt);
    }
    if (followUp === undefined) {
      done([]);
      return;
    }
    journal.promised(object, scheduler.now, followUp.due ?? now);
    const send = (): void =>
      network.send(followUp.queue, adapt(followUp.message, skewMs), {
        owner: invocation,
        told: ok => done(ok ? [] : work.messageIds),
      });
    if (variant.acknowledgesFirst !== true) {
      send();
      return;
    }
    for (const { messageId, receiptHandle } of invocation.messages) {
      if (work.messageIds.includes(messageId)) {
        channel.queue.delete(receiptHandle, scheduler.now);
      }
    }
    scheduler.after(random.between(2, 40), send, invocation);
  }
}

const failure: Result = { kind: 'failed', error: new Error('The model says so'), terminal: false };
