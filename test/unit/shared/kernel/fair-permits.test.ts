import { describe, expect, it } from 'vitest';
import { FairPermits } from '../../../../shared/kernel/fair-permits.ts';

const forever = new AbortController().signal;

describe('a permit', () => {
  it('is free until all are taken, and after a release', () => {
    const permits = new FairPermits(2);
    expect([permits.tryAcquire(), permits.tryAcquire(), permits.tryAcquire()]).toEqual([true, true, false]);
    permits.release();
    expect(permits.tryAcquire()).toBe(true);
  });

  it('comes after one turn, beside 1,500 requests of another owner', async () => {
    const permits = new FairPermits(64);
    const order: string[] = [];
    const ask = async (owner: string): Promise<void> => {
      await permits.acquire(owner, forever);
      order.push(owner);
    };
    const asked = Array.from({ length: 1_500 }, () => ask('hostile'));
    asked.push(ask('other'));
    await Promise.all(asked.slice(0, 64));
    for (let releases = 0; releases < 2; releases += 1) {
      permits.release();
    }
    await asked.at(-1);
    expect(order.lastIndexOf('other')).toBe(65);
  });

  it('is not given to a request that was aborted', async () => {
    const permits = new FairPermits(1);
    const aborting = new AbortController();
    await permits.acquire('a', forever);
    const [aborted, next] = [permits.acquire('a', aborting.signal), permits.acquire('a', forever)];
    aborting.abort();
    permits.release();
    expect(await Promise.all([aborted, next, permits.acquire('b', aborting.signal)])).toEqual([false, true, false]);
  });

  it('is kept by a request that is aborted just after', async () => {
    const permits = new FairPermits(1);
    const aborting = new AbortController();
    await permits.acquire('a', forever);
    const waiting = permits.acquire('a', aborting.signal);
    permits.release();
    aborting.abort();
    expect(await waiting).toBe(true);
    expect(permits.tryAcquire()).toBe(false);
  });
});
