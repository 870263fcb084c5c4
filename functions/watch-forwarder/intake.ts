// Maps each reported change to requests and adds them to the lanes of their queues.

import type { Clock } from '@capi-serverless/apimachinery';
import type { Declaration, SourceEvent } from '@capi-serverless/reconciler';
import { type ExpandTarget, toExpansion, toRequest, type WorkTarget } from '../../shared/event-source/messages.ts';
import {
  type ChangeReceiver,
  type Origin,
  type RouterOptions,
  routeEvent,
  routeGap,
} from '../../shared/event-source/router.ts';
import { SeenVersions } from '../../shared/event-source/seen-versions.ts';
import { brokenEvents, sourceEvents } from '../../shared/event-source/source-metrics.ts';
import type { NewId } from '../../shared/workqueue/ids.ts';
import { toExpandMessage, toWorkMessage } from '../../shared/workqueue/outgoing.ts';
import type { QueueSender } from '../../shared/workqueue/port.ts';
import { expandQueue, workQueueOf } from '../../shared/workqueue/queue-names.ts';
import { Lane } from './lane.ts';

export interface IntakeOptions extends RouterOptions {
  readonly declarations: readonly Declaration[];
  readonly queues: QueueSender;
  readonly clock: Clock;
  readonly newId: NewId;
}

/**
 * There is one lane per reconciler and one for expansions, so that an outage of one queue does not block the others.
 */
export class Intake {
  readonly #options: IntakeOptions;
  readonly #expandLane: Lane<ExpandTarget>;
  readonly #workLanes: ReadonlyMap<string, Lane<WorkTarget>>;
  readonly #exits: ChangeReceiver = {
    work: arrival => this.#workLanes.get(arrival.target.reconciler)?.offer(arrival),
    expand: arrival => this.#expandLane.offer(arrival),
  };

  constructor(options: IntakeOptions) {
    // A lane keeps a change until the queue accepts it, so its version is known from then on.
    this.#options = { ...options, versions: new SeenVersions(undefined, { isOrdered: true }) };
    this.#expandLane = toExpandLane(options);
    this.#workLanes = new Map(options.declarations.map(({ name }) => [name, toWorkLane(name, options)]));
  }

  get pending(): number {
    return this.#lanes.reduce((sum, lane) => sum + lane.pending, 0);
  }

  /** Sends until `signal` aborts, then sends pending messages. Never rejects. */
  async run(signal: AbortSignal): Promise<void> {
    await Promise.all(this.#lanes.map(lane => lane.run(signal)));
  }

  /** Returns true if the object matches the watch filter and was mapped. Never throws. */
  receive(from: Origin, event: SourceEvent, cause: 'list' | 'event'): boolean {
    const { metrics, log } = this.#options;
    const source = from.name;
    metrics.count(sourceEvents, { source, type: cause === 'list' ? 'LISTED' : event.type });
    try {
      return routeEvent(this.#options, from, { event, cause, exits: this.#exits });
    } catch (error) {
      metrics.count(brokenEvents, { source });
      log.error('Reading a change failed', error, { source });
      return false;
    }
  }

  /** The source was listed again. Deletions since its last watch may have been missed. */
  receiveGap(from: Origin): void {
    routeGap(this.#options, from, this.#exits);
  }

  get #lanes(): readonly (Lane<ExpandTarget> | Lane<WorkTarget>)[] {
    return [this.#expandLane, ...this.#workLanes.values()];
  }
}

function toExpandLane(options: IntakeOptions): Lane<ExpandTarget> {
  const gaps = new Map(
    options.declarations.flatMap(({ name, expansionGapSeconds: seconds }) =>
      seconds === undefined ? [] : [[name, seconds * 1000]],
    ),
  );
  return new Lane<ExpandTarget>({
    ...options,
    queue: expandQueue,
    windowOf: ({ reconciler }) => gaps.get(reconciler),
    toMessage(bundle) {
      const expansion = toExpansion(bundle, options.newId);
      options.log.debug('Requesting an expansion', { ...expansion });
      return toExpandMessage(expansion);
    },
  });
}

function toWorkLane(reconciler: string, options: IntakeOptions): Lane<WorkTarget> {
  const { newId } = options;
  return new Lane<WorkTarget>({
    ...options,
    queue: workQueueOf(reconciler),
    toMessage(bundle) {
      const request = toRequest(bundle, newId);
      options.log.debug('Forwarding changes', { ...request });
      return toWorkMessage(request, newId);
    },
  });
}
