// Whether the forwarder does its work. Pure.
import type { Instant } from '../../shared/api/object.ts';
import type { SourceState } from './forwarder.ts';

/** Servers send a bookmark about once a minute; a stream without any is checked after 75 s. */
const silenceLimitMs = 90_000;

/**
 * One line per kind that was not listed yet, or of which nothing was heard for 90 s; empty when changes are told. A kind
 * that the API server does not serve counts as listed. Referenced kinds are waited for once, while they are listed first:
 * a Cluster may name a kind that cannot be followed, and its author must not take the forwarder out of service.
 */
export function whyNotReady(sources: readonly SourceState[], now: Instant): readonly string[] {
  return sources.length === 0
    ? ['Nothing is followed yet']
    : sources.map(source => problemOf(source, now)).filter(problem => problem !== undefined);
}

function problemOf({ name, origin, state, isListed, heardAt }: SourceState, now: Instant): string | undefined {
  if (!isListed && (state === 'listing' || (origin === 'declared' && state === 'failing'))) {
    return `${name} was not listed yet`;
  }
  if (origin === 'declared' && (heardAt === undefined || now - heardAt > silenceLimitMs)) {
    return `${name} has shown nothing for more than ${silenceLimitMs / 1_000} s`;
  }
  return undefined;
}
