// Events are kept for an hour after they were last written, as on real servers by default.

import { memberOf } from '../../../../shared/api/json.ts';
import { type Context, remove } from './context.ts';
import type { Stored } from './object.ts';

const lifetimeMs = 3_600_000;

/** Takes out the Events that are too old. Returns how many. */
export function expireEvents(context: Context): number {
  const { resource } = context.registry.endpointOfKind('v1', 'Event');
  const oldest = context.now() - lifetimeMs;
  const expired = context.store.list(resource).filter(event => lastWritten(event) <= oldest);
  for (const event of expired) {
    remove(context, resource, event);
  }
  return expired.length;
}

/** Writers say when they saw it last; others are as old as their object. */
function lastWritten(event: Stored): number {
  const times = [
    event.metadata.creationTimestamp,
    event['lastTimestamp'],
    event['eventTime'],
    memberOf(event['series'], 'lastObservedTime'),
  ];
  return Math.max(...times.map(time => Date.parse(String(time))).filter(time => !Number.isNaN(time)));
}
