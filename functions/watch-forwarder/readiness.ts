// Readiness of the forwarder. Pure.
import type { Instant } from '@capi-serverless/apimachinery';
import type { SourceState } from './forwarder.ts';

/** Servers send a bookmark about once per minute. A stream without a bookmark is checked after 75 s. */
const silenceLimitMs = 90_000;

/**
 * Returns one line per kind that was not listed yet, or whose stream has sent nothing for 90 s. Empty if the forwarder
 * is ready. A kind that the API server does not serve is treated as listed. Referenced kinds are included only until
 * their first list. A Cluster may reference a kind that cannot be watched, and this must not make the forwarder
 * unready.
 */
export function whyNotReady(sources: readonly SourceState[], now: Instant): readonly string[] {
  return sources.length === 0
    ? ['No kind is followed yet']
    : sources.map(source => problemOf(source, now)).filter(problem => problem !== undefined);
}

function problemOf({ name, origin, state, isListed, lastActivityAt }: SourceState, now: Instant): string | undefined {
  if (!isListed && (state === 'listing' || (origin === 'declared' && state === 'failing'))) {
    return `${name} was not listed yet`;
  }
  if (origin === 'declared' && (lastActivityAt === undefined || now - lastActivityAt > silenceLimitMs)) {
    return `${name} has sent nothing for more than ${silenceLimitMs / 1_000} s`;
  }
  return undefined;
}
