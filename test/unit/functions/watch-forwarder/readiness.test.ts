import { describe, expect, it } from 'vitest';
import type { SourceState } from '../../../../functions/watch-forwarder/forwarder.ts';
import { whyNotReady } from '../../../../functions/watch-forwarder/readiness.ts';

const now = 1_000_000;
const followed: SourceState = {
  name: 'Cluster',
  origin: 'declared',
  state: 'watching',
  isListed: true,
  lastActivityAt: now,
};
const referenced: SourceState = { ...followed, name: 'SimulatedCluster', origin: 'referenced' };
const unlisted = { isListed: false, lastActivityAt: undefined } as const;

describe('readiness', () => {
  it.each<{ readonly sources: readonly SourceState[]; readonly problems: readonly string[]; readonly reason: string }>([
    { sources: [], problems: ['No kind is followed yet'], reason: 'the forwarder has not started' },
    { sources: [followed, referenced], problems: [], reason: 'all kinds are listed and recent' },
    {
      sources: [{ ...followed, ...unlisted, state: 'listing' }],
      problems: ['Cluster was not listed yet'],
      reason: 'the first list is in progress',
    },
    {
      sources: [{ ...followed, ...unlisted, state: 'failing' }],
      problems: ['Cluster was not listed yet'],
      reason: 'the first list failed',
    },
    {
      sources: [{ ...followed, isListed: false, state: 'missing' }],
      problems: [],
      reason: 'a kind that is not served has no objects',
    },
    {
      sources: [{ ...followed, lastActivityAt: now - 90_000, state: 'failing' }],
      problems: [],
      reason: 'a short outage does not count',
    },
    {
      sources: [{ ...followed, lastActivityAt: now - 90_001 }],
      problems: ['Cluster has sent nothing for more than 90 s'],
      reason: 'silent',
    },
    {
      sources: [{ ...followed, lastActivityAt: now - 90_001, state: 'listing' }],
      problems: ['Cluster has sent nothing for more than 90 s'],
      reason: 'listing again does not end',
    },
    {
      sources: [followed, { ...referenced, ...unlisted, state: 'listing' }],
      problems: ['SimulatedCluster was not listed yet'],
      reason: 'the first list of a referenced kind counts',
    },
    {
      sources: [followed, { ...referenced, ...unlisted, state: 'failing' }],
      problems: [],
      reason: 'a referenced kind that cannot be watched does not count',
    },
  ])('is $problems: $reason', ({ sources, problems }) => {
    expect(whyNotReady(sources, now)).toEqual(problems);
  });
});
