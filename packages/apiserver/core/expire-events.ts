// Events expire one hour after the last write. This is the default of kube-apiserver.

import { memberOf } from '@capi-serverless/apimachinery';
import { instantOf } from '@capi-serverless/apimachinery/timestamp';
import { type Context, remove } from './context.ts';
import type { Stored } from './object.ts';

const lifetimeMs = 3_600_000;

/** Removes expired Events. Returns their number. */
export function expireEvents(context: Context): number {
  const { resource } = context.registry.endpointOfKind('v1', 'Event');
  const oldest = context.now() - lifetimeMs;
  const expired = context.store.list(resource).filter(event => lastWritten(event) <= oldest);
  for (const event of expired) {
    remove(context, resource, event);
  }
  return expired.length;
}

/** Returns the time of the last occurrence if the client set one. Otherwise returns the creation time of the object. */
function lastWritten(event: Stored): number {
  const times = [
    event.metadata.creationTimestamp,
    event['lastTimestamp'],
    event['eventTime'],
    memberOf(event['series'], 'lastObservedTime'),
  ];
  return Math.max(...times.map(instantOf).filter(time => time !== undefined));
}
