// What one run has to tell: one message per key, however often it was seen.

import type { Instant } from '../../shared/api/object.ts';
import { type Arrival, type Bundle, mergeBundles, toBundle } from '../../shared/event-source/bundle.ts';
import { type ExpandTarget, toExpansion, toRequest, type WorkTarget } from '../../shared/event-source/messages.ts';
import { refusedSends, sentMessages } from '../../shared/event-source/metrics.ts';
import type { Exits } from '../../shared/event-source/router.ts';
import type { Metrics } from '../../shared/kernel/metrics.ts';
import type { NewId } from '../../shared/workqueue/ids.ts';
import { toEventMessage, toExpandMessage } from '../../shared/workqueue/outgoing.ts';
import type { OutgoingMessage, QueueName, QueueSender } from '../../shared/workqueue/port.ts';
import type { QueueDesign } from '../../shared/workqueue/queue-design.ts';
import { expandQueue, workQueueOf } from '../../shared/workqueue/queue-names.ts';

export interface SendOptions {
  readonly queues: QueueSender;
  readonly queueDesign: QueueDesign;
  readonly metrics: Metrics;
  readonly newId: NewId;
  readonly now: Instant;
}

export class Parcel implements Exits {
  readonly #work = new Map<string, Bundle<WorkTarget>>();
  readonly #expansions = new Map<string, Bundle<ExpandTarget>>();

  work(arrival: Arrival<WorkTarget>): void {
    add(this.#work, `${arrival.target.reconciler} ${arrival.key}`, arrival);
  }

  expand(arrival: Arrival<ExpandTarget>): void {
    add(this.#expansions, arrival.key, arrival);
  }

  get size(): number {
    return this.#work.size + this.#expansions.size;
  }

  /** Why something was not accepted, or undefined when all was. */
  async send(options: SendOptions): Promise<Error | undefined> {
    const { queues, metrics } = options;
    const errors = await Promise.all(
      [...this.#toMessages(options)].map(async ([queue, messages]) => {
        const outcomes = await queues.send(queue, messages);
        for (const { ok } of outcomes) {
          metrics.count(ok ? sentMessages : refusedSends, { queue });
        }
        const refused = outcomes.find(outcome => !outcome.ok);
        return refused === undefined || refused.ok ? undefined : refused.error;
      }),
    );
    return errors.find(error => error !== undefined);
  }

  #toMessages({ newId, queueDesign: design, now }: SendOptions): ReadonlyMap<QueueName, readonly OutgoingMessage[]> {
    const messages = new Map<QueueName, OutgoingMessage[]>();
    const put = (queue: QueueName, message: OutgoingMessage): void => {
      const known = messages.get(queue);
      if (known === undefined) {
        messages.set(queue, [message]);
      } else {
        known.push(message);
      }
    };
    for (const bundle of this.#work.values()) {
      put(workQueueOf(bundle.target.reconciler), toEventMessage(toRequest(bundle, newId), { newId, design, now }));
    }
    for (const bundle of this.#expansions.values()) {
      put(expandQueue, toExpandMessage(toExpansion(bundle, newId)));
    }
    return messages;
  }
}

function add<Target>(bundles: Map<string, Bundle<Target>>, id: string, arrival: Arrival<Target>): void {
  bundles.set(id, mergeBundles(bundles.get(id), toBundle(arrival)));
}
