// Takes in the audit events of one body: drops what says nothing, maps the rest, and has the queues accept it.
import { droppedEvents, sourceEvents } from '../../shared/event-source/metrics.ts';
import { type RouterOptions, routeSighting, routeUnnamed } from '../../shared/event-source/router.ts';
import type { AuditEvent } from './event.ts';
import { type Change, toChanges, whyIrrelevant } from './judge.ts';
import { createOutbox, type Outbox, type OutboxOptions } from './outbox.ts';
import type { AuditSource, AuditSources } from './sources.ts';

export interface TakeInOptions extends RouterOptions, OutboxOptions {
  readonly sources: AuditSources;
}

/** How drops of this event source are labelled that happen before it is known which kind they are about. */
const auditSource = 'audit';

/** Rejects when a queue refused a message: then none of these events may count as taken in. Resolves with the messages sent. */
export async function takeIn(options: TakeInOptions, events: readonly AuditEvent[]): Promise<number> {
  const outbox = createOutbox(options);
  for (const event of events) {
    takeOne(options, event, outbox);
  }
  const { sent, refused } = await outbox.send(options.log);
  options.log.debug('Taking in audit events', { events: events.length, messages: sent });
  if (refused !== undefined) {
    throw refused;
  }
  return sent;
}

function takeOne(options: TakeInOptions, event: AuditEvent, outbox: Outbox): void {
  const { sources, metrics } = options;
  const reason = whyIrrelevant(event);
  const source = event.objectRef === undefined ? undefined : sources.find(event.objectRef);
  if (reason !== undefined || source === undefined) {
    metrics.count(droppedEvents, { source: auditSource, reason: reason ?? 'not watched' });
    return;
  }
  for (const change of toChanges(event, source.subject)) {
    routeChange(options, { source, change, outbox });
  }
}

interface Routing {
  readonly source: AuditSource;
  readonly change: Change;
  readonly outbox: Outbox;
}

function routeChange(options: TakeInOptions, { source, change, outbox: exits }: Routing): void {
  const { metrics } = options;
  for (const origin of source.origins) {
    if ('unnamedIn' in change) {
      const { apiVersion, kind } = source.subject;
      const namespace = change.unnamedIn === undefined ? {} : { namespace: change.unnamedIn };
      metrics.count(sourceEvents, { source: origin.name, type: 'UNNAMED' });
      routeUnnamed(options, origin, { source: { apiVersion, kind, ...namespace }, exits });
      continue;
    }
    metrics.count(sourceEvents, { source: origin.name, type: change.event.type });
    routeSighting(options, origin, { ...change, exits });
  }
}
