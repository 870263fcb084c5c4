import { describe, expect, it } from 'vitest';
import type { SourceState } from '../../../../functions/watch-forwarder/forwarder.ts';
import { whyNotReady } from '../../../../functions/watch-forwarder/readiness.ts';

const now = 1_000_000;
const followed: SourceState = { name: 'Cluster', origin: 'declared', state: 'watching', isListed: true, heardAt: now };
const referenced: SourceState = { ...followed, name: 'SimulatedCluster', origin: 'referenced' };
const unlisted = { isListed: false, heardAt: undefined } as const;

describe('readiness', () => {
  it.each<{ readonly sources: readonly SourceState[]; readonly problems: readonly string[]; readonly reason: string }>([
    { sources: [], problems: ['Nothing is followed yet'], reason: 'the forwarder has not begun' },
    { sources: [followed, referenced], problems: [], reason: 'all listed and heard of' },
    {
      sources: [{ ...followed, ...unlisted, state: 'listing' }],
      problems: ['Cluster was not listed yet'],
      reason: 'the first list is under way',
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
      sources: [{ ...followed, heardAt: now - 90_000, state: 'failing' }],
      problems: [],
      reason: 'a short outage is no news',
    },
    {
      sources: [{ ...followed, heardAt: now - 90_001 }],
      problems: ['Cluster has shown nothing for more than 90 s'],
      reason: 'silent',
    },
    {
      sources: [{ ...followed, heardAt: now - 90_001, state: 'listing' }],
      problems: ['Cluster has shown nothing for more than 90 s'],
      reason: 'listing again does not end',
    },
    {
      sources: [followed, { ...referenced, ...unlisted, state: 'listing' }],
      problems: ['SimulatedCluster was not listed yet'],
      reason: 'objects that Clusters name are waited for',
    },
    {
      sources: [followed, { ...referenced, ...unlisted, state: 'failing' }],
      problems: [],
      reason: 'a kind that cannot be followed is its author’s problem',
    },
  ])('is $problems: $reason', ({ sources, problems }) => {
    expect(whyNotReady(sources, now)).toEqual(problems);
  });
});
