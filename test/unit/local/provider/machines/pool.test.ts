import { describe, expect, it } from 'vitest';
import { nextVersions, toInstances } from '../../../../../local/provider/machines/pool.ts';

const running = (...counts: readonly (readonly [string, number])[]) =>
  counts.map(([version, replicas]) => ({ version, replicas }));

describe('a pool', () => {
  it.each([
    { now: running(), wanted: 2, next: running(['v2.0.0', 1]), reason: 'the first' },
    { now: running(['v2.0.0', 2]), wanted: 2, next: undefined, reason: 'all is as wanted' },
    {
      now: running(['v1.0.0', 2]),
      wanted: 3,
      next: running(['v1.0.0', 2], ['v2.0.0', 1]),
      reason: 'grows before it upgrades',
    },
    { now: running(['v1.0.0', 2]), wanted: 2, next: running(['v1.0.0', 1], ['v2.0.0', 1]), reason: 'one is replaced' },
    { now: running(['v1.0.0', 1], ['v2.0.0', 2]), wanted: 2, next: running(['v2.0.0', 2]), reason: 'the oldest goes' },
    { now: running(['v2.0.0', 1]), wanted: 0, next: running(), reason: 'none is wanted' },
    {
      now: running(['v2.0.0', 1], ['v3.0.0', 1]),
      wanted: 2,
      next: running(['v2.0.0', 2]),
      reason: 'back to what is wanted',
    },
  ])('takes one step at a time: $reason', ({ now, wanted, next }) => {
    expect(nextVersions(now, { version: 'v2.0.0', replicas: wanted })).toEqual(next);
  });

  it('keeps the names of its Nodes while they are upgraded', () => {
    const pool = { name: 'mp1', uid: 'uid' };
    const names = (versions: ReturnType<typeof running>) => toInstances(pool, versions).map(({ name }) => name);
    expect(names(running(['v1.0.0', 3]))).toEqual(names(running(['v1.0.0', 1], ['v2.0.0', 2])));
    expect(new Set(names(running(['v1.0.0', 3]))).size).toBe(3);
  });

  it('assigns versions to Nodes, the newest first', () => {
    const instances = toInstances({ name: 'mp1', uid: 'uid' }, running(['v1.0.0', 1], ['v2.0.0', 2]));
    expect(instances.map(({ version }) => version)).toEqual(['v2.0.0', 'v2.0.0', 'v1.0.0']);
  });
});
