// Processes the audit events of one body: drops irrelevant events, maps the others to requests, and enqueues the
// requests.

import { withoutUndefined } from '@capi-serverless/apimachinery';
import { createOutbox, type Outbox, type OutboxOptions } from '../../shared/event-source/outbox.ts';
import { type RouterOptions, routeEvent, routeUnnamed } from '../../shared/event-source/router.ts';
import { SeenVersions } from '../../shared/event-source/seen-versions.ts';
import { droppedEvents, sourceEvents } from '../../shared/event-source/source-metrics.ts';
import type { AuditSource, AuditSources } from './audit-sources.ts';
import { type AuditedChange, toChanges, whyIrrelevant } from './changes.ts';
import type { AuditEvent } from './event.ts';

interface EnqueueOptions extends RouterOptions, OutboxOptions {
  readonly sources: AuditSources;
}

/** The metric label of events that are dropped before their kind is known. */
const auditSource = 'audit';

/**
 * Returns the number of sent messages. Rejects if a queue refuses a message. In this case the body must be delivered
 * again.
 */
export async function enqueueEvents(options: EnqueueOptions, events: readonly AuditEvent[]): Promise<number> {
  const outbox = createOutbox(options);
  const versions = new SeenVersions(options.versions);
  for (const event of events) {
    takeOne({ ...options, versions }, event, outbox);
  }
  const { sent, refused } = await outbox.send(options.log);
  options.log.debug('Enqueueing audit events', { events: events.length, messages: sent });
  if (refused !== undefined) {
    throw refused;
  }
  versions.commit();
  return sent;
}

function takeOne(options: EnqueueOptions, event: AuditEvent, outbox: Outbox): void {
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
  readonly change: AuditedChange;
  readonly outbox: Outbox;
}

function routeChange(options: EnqueueOptions, { source, change, outbox: exits }: Routing): void {
  const { metrics } = options;
  for (const origin of source.origins) {
    if ('unnamedIn' in change) {
      const { apiVersion, kind } = source.subject;
      const namespace = withoutUndefined({ namespace: change.unnamedIn });
      metrics.count(sourceEvents, { source: origin.name, type: 'UNNAMED' });
      routeUnnamed(options, origin, { source: { apiVersion, kind, ...namespace }, exits });
      continue;
    }
    metrics.count(sourceEvents, { source: origin.name, type: change.event.type });
    routeEvent(options, origin, { ...change, exits });
  }
}
