// Takes in every change that a follower shows, maps it, and puts it on the lanes of the queues it concerns.
import type { Unstructured } from '../../shared/api/object.ts';
import type { Clock } from '../../shared/kernel/clock.ts';
import type { Log } from '../../shared/kernel/log.ts';
import type { Metrics } from '../../shared/kernel/metrics.ts';
import type { Declaration, SourceEvent } from '../../shared/kernel/types.ts';
import type { NewId } from '../../shared/workqueue/ids.ts';
import { type Key, toKeyText } from '../../shared/workqueue/message.ts';
import { toEventMessage, toExpandMessage } from '../../shared/workqueue/outgoing.ts';
import type { QueueSender } from '../../shared/workqueue/port.ts';
import type { QueueDesign } from '../../shared/workqueue/queue-design.ts';
import { expandQueue, workQueueOf } from '../../shared/workqueue/queue-names.ts';
import type { Arrival } from './debounce.ts';
import { Lane } from './lane.ts';
import { type Mapped, mapEvent, whyDropped } from './map-event.ts';
import { type ExpandTarget, toExpansion, toRequest, type WorkTarget } from './messages.ts';
import { brokenEvents, droppedEvents, sourceEvents } from './metrics.ts';
import type { Route } from './watch-set.ts';

export interface IntakeOptions {
  readonly declarations: readonly Declaration[];
  readonly queues: QueueSender;
  /** What the queues were created with; without it the default. */
  readonly queueDesign?: QueueDesign;
  /** uid of the kube-system namespace. */
  readonly managementCluster: string;
  readonly clock: Clock;
  readonly newId: NewId;
  /** "" accepts every object. */
  readonly watchFilter: string;
  readonly log: Log;
  readonly metrics: Metrics;
}

/** Where an event was seen. */
export interface Origin {
  readonly name: string;
  readonly origin: 'declared' | 'referenced';
  readonly routes: readonly Route[];
}

/** One lane per reconciler and one for expansions, so that an outage of one queue holds up no other. */
export class Intake {
  readonly #options: IntakeOptions;
  readonly #expandLane: Lane<ExpandTarget>;
  readonly #workLanes: ReadonlyMap<string, Lane<WorkTarget>>;

  constructor(options: IntakeOptions) {
    this.#options = options;
    this.#expandLane = toExpandLane(options);
    this.#workLanes = new Map(options.declarations.map(({ name }) => [name, toWorkLane(name, options)]));
  }

  get pending(): number {
    return this.#lanes.reduce((sum, lane) => sum + lane.pending, 0);
  }

  /** Sends until `signal` aborts, then what is pending. Never rejects. */
  async run(signal: AbortSignal): Promise<void> {
    await Promise.all(this.#lanes.map(lane => lane.run(signal)));
  }

  /** Returns whether the object is one of ours and could be read. Never throws. */
  see(from: Origin, event: SourceEvent, cause: 'list' | 'event'): boolean {
    const { metrics, log } = this.#options;
    const source = from.name;
    metrics.count(sourceEvents, { source, type: cause === 'list' ? 'LISTED' : event.type });
    try {
      return this.#forward(from, event, cause);
    } catch (error) {
      metrics.count(brokenEvents, { source });
      log.error('Reading a change failed', error, { source });
      return false;
    }
  }

  get #lanes(): readonly (Lane<ExpandTarget> | Lane<WorkTarget>)[] {
    return [this.#expandLane, ...this.#workLanes.values()];
  }

  #forward({ name: source, origin, routes }: Origin, event: SourceEvent, cause: 'list' | 'event'): boolean {
    const { metrics, log, watchFilter } = this.#options;
    requireName(event.object);
    const reason = whyDropped(event.object, { origin, watchFilter });
    if (reason !== undefined) {
      metrics.count(droppedEvents, { source, reason });
      return false;
    }
    const { mapped, broken } = mapEvent(routes, event);
    for (const { route, error } of broken) {
      metrics.count(brokenEvents, { source });
      const { namespace, name } = event.object.metadata;
      log.error('Mapping a change failed', error, { reconciler: route.reconciler, source, namespace, name });
    }
    if (mapped.length === 0 && broken.length === 0) {
      metrics.count(droppedEvents, { source, reason: 'no target' });
    }
    const seen = toSeen(event, cause);
    for (const one of mapped) {
      this.#offer(one, seen);
    }
    return true;
  }

  #offer(mapped: Mapped, seen: Seen): void {
    const { reconciler, primary } = mapped.route;
    if (mapped.to === 'expand') {
      const target = { reconciler, source: mapped.source };
      this.#expandLane.offer({ key: JSON.stringify(target), target, ...seen });
      return;
    }
    const { managementCluster } = this.#options;
    const key: Key = { managementCluster, group: primary.group, kind: primary.kind, ...mapped.name };
    this.#workLanes.get(reconciler)?.offer({ key: toKeyText(key), target: { reconciler, key }, ...seen });
  }
}

type Seen = Pick<Arrival<unknown>, 'cause' | 'source'>;

function toExpandLane(options: IntakeOptions): Lane<ExpandTarget> {
  return new Lane<ExpandTarget>({
    ...options,
    queue: expandQueue,
    toMessage(bundle) {
      const expansion = toExpansion(bundle, options.newId);
      options.log.debug('Asking for a look-up', { ...expansion });
      return toExpandMessage(expansion);
    },
  });
}

function toWorkLane(reconciler: string, options: IntakeOptions): Lane<WorkTarget> {
  const { queueDesign: design = 'default', newId, clock } = options;
  return new Lane<WorkTarget>({
    ...options,
    queue: workQueueOf(reconciler),
    toMessage(bundle) {
      const request = toRequest(bundle, newId);
      options.log.debug('Forwarding changes', { ...request });
      return toEventMessage(request, { newId, design, now: clock.now() });
    },
  });
}

/** Objects are not validated one by one on their way here; whatever follows may rely on this much. */
function requireName(object: Unstructured): void {
  if (typeof object?.metadata?.name !== 'string') {
    throw new Error('A watched object has no metadata or no name');
  }
}

/** Only a change that was seen, with its version, may share its id with another sighting of it. */
function toSeen({ type, object }: SourceEvent, cause: 'list' | 'event'): Seen {
  const { uid = '', resourceVersion = '' } = object.metadata;
  if (uid !== '' && resourceVersion !== '') {
    return { cause, source: { uid, resourceVersion } };
  }
  return { cause: type === 'DELETED' ? 'deletion' : 'list', source: undefined };
}
