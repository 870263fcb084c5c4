// Takes in every change that a follower shows, maps it, and puts it on the lanes of the queues it concerns.
import type { Unstructured } from '../../shared/api/object.ts';
import type { Clock } from '../../shared/kernel/clock.ts';
import type { Log } from '../../shared/kernel/log.ts';
import type { Metrics } from '../../shared/kernel/metrics.ts';
import type { Declaration, SourceEvent } from '../../shared/kernel/types.ts';
import type { NewId } from '../../shared/workqueue/ids.ts';
import { type Cause, type Key, toKeyText } from '../../shared/workqueue/message.ts';
import { toExpandMessage, toWorkMessage } from '../../shared/workqueue/outgoing.ts';
import type { OutgoingMessage, QueueSender } from '../../shared/workqueue/port.ts';
import { expandQueue, workQueueOf } from '../../shared/workqueue/queue-names.ts';
import type { Bundle, SeenVersion } from './debounce.ts';
import { createLane, type Lane } from './lane.ts';
import { type Mapped, mapEvent, whyDropped } from './map-event.ts';
import { type ExpandTarget, toExpansion, toRequest, type WorkTarget } from './messages.ts';
import { brokenEvents, droppedEvents, sourceEvents } from './metrics.ts';
import type { Route } from './watch-set.ts';

export interface IntakeOptions {
  readonly declarations: readonly Declaration[];
  readonly queues: QueueSender;
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

export interface Intake {
  /** Returns whether the object is one of ours and could be read. Never throws. */
  see(from: Origin, event: SourceEvent, cause: 'list' | 'event'): boolean;
  readonly pending: number;
  /** Sends until `signal` aborts, then what is pending. Never rejects. */
  run(signal: AbortSignal): Promise<void>;
}

/** One lane per reconciler and one for expansions, so that an outage of one queue holds up no other. */
export function createIntake(options: IntakeOptions): Intake {
  const { declarations, newId, managementCluster, watchFilter, log, metrics } = options;
  const expandLane = createLane<ExpandTarget>({
    ...options,
    queue: expandQueue,
    toMessage(bundle) {
      const expansion = toExpansion(bundle, newId);
      log.debug('Asking for a look-up', { ...expansion });
      return toExpandMessage(expansion);
    },
  });
  const toMessage = (bundle: Bundle<WorkTarget>): OutgoingMessage => {
    const request = toRequest(bundle, newId);
    log.debug('Forwarding changes', { ...request });
    return toWorkMessage(request, newId);
  };
  const workLanes = new Map<string, Lane<WorkTarget>>(
    declarations.map(({ name }) => [name, createLane({ ...options, queue: workQueueOf(name), toMessage })]),
  );
  const lanes = [expandLane, ...workLanes.values()];

  function offer(mapped: Mapped, seen: { readonly cause: Cause; readonly source: SeenVersion | undefined }): void {
    const { reconciler, primary } = mapped.route;
    if (mapped.to === 'expand') {
      const { source } = mapped;
      const key = JSON.stringify([reconciler, source]);
      expandLane.offer({ key, target: { reconciler, source }, ...seen });
      return;
    }
    const key: Key = { managementCluster, group: primary.group, kind: primary.kind, ...mapped.name };
    workLanes.get(reconciler)?.offer({ key: toKeyText(key), target: { reconciler, key }, ...seen });
  }

  function forward(from: Origin, event: SourceEvent, cause: 'list' | 'event'): boolean {
    const source = from.name;
    metrics.count(sourceEvents, { source, type: cause === 'list' ? 'LISTED' : event.type });
    requireName(event.object);
    const reason = whyDropped(event.object, { origin: from.origin, watchFilter });
    if (reason !== undefined) {
      metrics.count(droppedEvents, { source, reason });
      return false;
    }
    const { mapped, broken } = mapEvent(from.routes, event);
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
      offer(one, seen);
    }
    return true;
  }

  return {
    see(from, event, cause) {
      try {
        return forward(from, event, cause);
      } catch (error) {
        metrics.count(brokenEvents, { source: from.name });
        log.error('Reading a change failed', error, { source: from.name });
        return false;
      }
    },
    get pending() {
      return lanes.reduce((sum, lane) => sum + lane.pending, 0);
    },
    async run(signal) {
      await Promise.all(lanes.map(lane => lane.run(signal)));
    },
  };
}

/** Objects are not validated one by one on their way here; whatever follows may rely on this much. */
function requireName(object: Unstructured): void {
  if (typeof object?.metadata?.name !== 'string') {
    throw new Error('A watched object has no metadata or no name');
  }
}

/** Only a change that was seen, with its version, may share its id with another sighting of it. */
function toSeen(
  { type, object }: SourceEvent,
  cause: 'list' | 'event',
): { readonly cause: Cause; readonly source: SeenVersion | undefined } {
  const { uid = '', resourceVersion = '' } = object.metadata;
  if (uid !== '' && resourceVersion !== '') {
    return { cause, source: { uid, resourceVersion } };
  }
  return { cause: type === 'DELETED' ? 'deletion' : 'list', source: undefined };
}
