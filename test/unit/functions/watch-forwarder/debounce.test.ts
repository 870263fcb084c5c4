import { describe, expect, it } from 'vitest';
import { Debouncer } from '../../../../functions/watch-forwarder/debounce.ts';
import type { Arrival, ChangeBundle } from '../../../../shared/event-source/bundle.ts';
import { fc } from '../../../support/property.ts';

const settings = { windowMs: 1_000, settleMs: 250, busyMs: 5_000, outage: { firstMs: 250, longestMs: 30_000 } };

function aDebouncer(): Debouncer<string> {
  return new Debouncer(settings);
}

function anEvent(key: string, version: number, uid = `uid-${key}`): Arrival<string> {
  return { key, target: key, cause: 'event', source: { uid, resourceVersion: String(version) } };
}

function texts(bundles: readonly ChangeBundle<string>[]): readonly string[] {
  return bundles.map(({ key, sources }) => {
    const named = [...sources.values()].map(({ uid, resourceVersion }) => `${uid}@${resourceVersion}`);
    return `${key}: ${named.join(' ')}`;
  });
}

describe('debouncing', () => {
  it('returns the first change of an idle key immediately', () => {
    const debouncer = aDebouncer();
    debouncer.offer(anEvent('a', 1), 0);
    expect(debouncer.nextDueAt(0)).toBe(0);
    expect(texts(debouncer.take(0, 10))).toEqual(['a: uid-a@1']);
    expect(debouncer.pending).toBe(0);
  });

  it('merges all changes within the window into one bundle, due at its end', () => {
    const debouncer = aDebouncer();
    debouncer.offer(anEvent('a', 1), 0);
    debouncer.take(0, 10);
    debouncer.offer(anEvent('a', 2), 0);
    debouncer.offer(anEvent('a', 7, 'uid-machine'), 0);
    debouncer.offer(anEvent('a', 4), 0);
    expect(debouncer.pending).toBe(1);
    expect(debouncer.nextDueAt(300)).toBe(1_000);
    expect(debouncer.take(999, 10)).toEqual([]);
    expect(texts(debouncer.take(1_000, 10))).toEqual(['a: uid-a@4 uid-machine@7']);
  });

  it('keeps a longer window for the keys of some targets', () => {
    const debouncer = new Debouncer<string>({ ...settings, windowOf: key => (key === 'a' ? 15_000 : undefined) });
    for (const key of ['a', 'b']) {
      debouncer.offer(anEvent(key, 1), 0);
    }
    expect(texts(debouncer.take(0, 10))).toEqual(['a: uid-a@1', 'b: uid-b@1']);
    expect(debouncer.take(8_000, 10)).toEqual([]);
    for (const key of ['a', 'b']) {
      debouncer.offer(anEvent(key, 2), 8_000);
    }
    expect(texts(debouncer.take(8_000, 10))).toEqual(['b: uid-b@2']);
    expect(debouncer.nextDueAt(8_001)).toBeLessThanOrEqual(15_000);
    expect(debouncer.take(14_999, 10)).toEqual([]);
    const due = debouncer.take(15_000, 10);
    expect(texts(due)).toEqual(['a: uid-a@2']);
    debouncer.giveBack(due, 15_000);
    expect(texts(debouncer.take(16_000, 10))).toEqual(['a: uid-a@2']);
    expect(debouncer.take(31_000, 10)).toEqual([]);
    expect(debouncer.size).toBe(0);
  });

  it('sends a key that always changes once per window', () => {
    const debouncer = aDebouncer();
    let sent = 0;
    for (let now = 0; now < 10_000; now += 100) {
      debouncer.offer(anEvent('a', now + 1), now);
      sent += debouncer.take(now, 10).length;
    }
    expect(sent).toBeGreaterThanOrEqual(9);
    expect(sent).toBeLessThanOrEqual(10);
  });

  it.each([
    { arrivals: [1_500], due: 1_750, reason: 'no other change came for 250 ms' },
    { arrivals: [1_500, 1_600, 1_700], due: 1_950, reason: 'each change restarts the settle time' },
    {
      arrivals: [1_500, 1_700, 1_900, 2_100, 2_300, 2_490],
      due: 2_500,
      reason: 'a change waits for a second at most',
    },
    { arrivals: [900], due: 1_150, reason: 'a change at the end of the window waits to settle as well' },
    { arrivals: [100], due: 1_000, reason: 'settling within the window does not shorten it' },
    { arrivals: [100, 900, 1_050], due: 1_100, reason: 'the second counts from the first change' },
  ])('of a busy key is due at $due: $reason', ({ arrivals, due }) => {
    const debouncer = aDebouncer();
    debouncer.offer(anEvent('a', 1), 0);
    debouncer.take(0, 10);
    for (const at of arrivals) {
      expect(debouncer.take(at, 10)).toEqual([]);
      debouncer.offer(anEvent('a', at), at);
    }
    expect(debouncer.take(due - 1, 10)).toEqual([]);
    expect(debouncer.nextDueAt(due - 1)).toBe(due);
    expect(texts(debouncer.take(due, 10))).toEqual([`a: uid-a@${arrivals.at(-1)}`]);
  });

  it('of a key without a message for five seconds is due at once, and the key is forgotten', () => {
    const debouncer = aDebouncer();
    debouncer.offer(anEvent('a', 1), 0);
    debouncer.take(0, 10);
    expect(debouncer.nextDueAt(0)).toBe(5_000);
    expect(debouncer.size).toBe(1);
    expect(debouncer.take(5_000, 10)).toEqual([]);
    expect(debouncer.size).toBe(0);
    expect(debouncer.nextDueAt(5_000)).toBeUndefined();
    debouncer.offer(anEvent('a', 2), 5_001);
    expect(texts(debouncer.take(5_001, 10))).toEqual(['a: uid-a@2']);
  });

  it.each([
    { versions: ['9', '10'], kept: '10', reason: 'versions compare as numbers' },
    { versions: ['10', '9'], kept: '10', reason: 'an older version does not replace a newer one' },
    { versions: ['10', '11'], kept: '11', reason: 'the newest version counts' },
  ])('names each source in its highest version: $reason', ({ versions, kept }) => {
    const debouncer = aDebouncer();
    for (const version of versions) {
      debouncer.offer(anEvent('a', Number(version)), 0);
    }
    expect(texts(debouncer.take(0, 1))).toEqual([`a: uid-a@${kept}`]);
  });

  it('names at most 20 sources and marks that there are more', () => {
    const debouncer = aDebouncer();
    for (let uid = 1; uid <= 20; uid += 1) {
      debouncer.offer(anEvent('a', uid, `uid-${uid}`), 0);
    }
    debouncer.offer(anEvent('b', 1), 0);
    const [full] = debouncer.take(0, 1);
    expect(full).toMatchObject({ many: false });
    for (let uid = 1; uid <= 21; uid += 1) {
      debouncer.offer(anEvent('a', uid, `uid-${uid}`), 0);
    }
    const crowded = debouncer.take(1_000, 10).find(({ key }) => key === 'a');
    expect(crowded?.sources.size).toBe(20);
    expect(crowded?.many).toBe(true);
  });

  it.each([
    { arrivals: ['event', 'event'], cause: 'event', reason: 'all changes were reported by the watch' },
    { arrivals: ['event', 'list'], cause: 'list', reason: 'one list makes the bundle a list' },
    { arrivals: ['deletion', 'event'], cause: 'deletion', reason: 'a later change does not undo it' },
  ] as const)('is an event only if all of it is: $reason', ({ arrivals, cause }) => {
    const debouncer = aDebouncer();
    for (const one of arrivals) {
      debouncer.offer({ key: 'a', target: 'a', cause: one, source: undefined }, 0);
    }
    expect(debouncer.take(0, 1)).toMatchObject([{ cause }]);
  });

  it('returns no more than requested and keeps the others due', () => {
    const debouncer = aDebouncer();
    for (const key of ['a', 'b', 'c']) {
      debouncer.offer(anEvent(key, 1), 0);
    }
    expect(debouncer.take(0, 2)).toHaveLength(2);
    expect(debouncer.nextDueAt(0)).toBe(0);
    expect(texts(debouncer.take(0, 2))).toEqual(['c: uid-c@1']);
  });
});

describe('ten thousand objects', () => {
  it('are forgotten five seconds after their message', () => {
    const debouncer = aDebouncer();
    const keys = Array.from({ length: 10_000 }, (_, index) => `k${index}`);
    for (const key of keys) {
      debouncer.offer(anEvent(key, 1), 0);
    }
    let sent = 0;
    for (let taken = debouncer.take(0, 100); taken.length > 0; taken = debouncer.take(0, 100)) {
      sent += taken.length;
    }
    expect(sent).toBe(10_000);
    expect(debouncer.size).toBe(10_000);
    debouncer.take(5_000, 100);
    expect(debouncer.size).toBe(0);
    expect(debouncer.nextDueAt(5_000)).toBeUndefined();
  });
});

describe('a queue that refuses', () => {
  it('merges returned bundles with newer changes, due when the window ends', () => {
    const debouncer = aDebouncer();
    debouncer.offer(anEvent('a', 1), 0);
    const taken = debouncer.take(0, 10);
    debouncer.offer(anEvent('a', 2, 'uid-machine'), 50);
    debouncer.giveBack(taken, 100);
    expect(debouncer.pending).toBe(1);
    expect(debouncer.take(1_000, 10)).toEqual([]);
    expect(texts(debouncer.take(1_100, 10))).toEqual(['a: uid-a@1 uid-machine@2']);
  });

  it('merges returned bundles with those that became due in the meantime', () => {
    const debouncer = aDebouncer();
    debouncer.offer(anEvent('a', 1), 0);
    const slow = debouncer.take(0, 10);
    debouncer.offer(anEvent('a', 2), 100);
    debouncer.offer(anEvent('b', 1), 100);
    expect(texts(debouncer.take(1_000, 0))).toEqual([]);
    debouncer.giveBack(slow, 1_500);
    expect(debouncer.pending).toBe(2);
    expect(texts(debouncer.take(1_500, 10))).toEqual(['b: uid-b@1']);
    expect(texts(debouncer.take(2_500, 10))).toEqual(['a: uid-a@2']);
  });

  it('pauses for a gap that grows with each outage and resets with success', () => {
    const debouncer = aDebouncer();
    debouncer.offer(anEvent('a', 1), 0);
    expect(debouncer.outage(0)).toBe(250);
    expect(debouncer.take(249, 10)).toEqual([]);
    expect(debouncer.nextDueAt(0)).toBe(250);
    expect([debouncer.outage(250), debouncer.outage(750)]).toEqual([500, 1_000]);
    for (let outage = 0; outage < 10; outage += 1) {
      debouncer.outage(1_750);
    }
    expect(debouncer.outage(1_750)).toBe(30_000);
    debouncer.accepted();
    expect(debouncer.take(1_750, 10)).toHaveLength(1);
    expect(debouncer.outage(1_750)).toBe(250);
  });

  it('keeps one bundle per key, however many changes arrive during the outage', () => {
    const debouncer = aDebouncer();
    debouncer.outage(0);
    for (let change = 0; change < 5_000; change += 1) {
      debouncer.offer(anEvent(`k${change % 7}`, change, `uid-${change}`), 0);
    }
    expect(debouncer.pending).toBe(7);
    expect(debouncer.take(250, 100).every(({ sources, many }) => sources.size === 20 && many)).toBe(true);
  });
});

describe('a clock that is turned back', () => {
  it('does not extend a window or a gap', () => {
    const debouncer = aDebouncer();
    debouncer.offer(anEvent('a', 1), 0);
    debouncer.take(3_600_000, 10);
    debouncer.offer(anEvent('a', 2), 3_600_000);
    expect(debouncer.take(0, 10)).toHaveLength(1);
    debouncer.outage(3_600_000);
    debouncer.offer(anEvent('b', 1), 0);
    expect(debouncer.take(0, 10)).toHaveLength(1);
  });
});

describe('a graceful stop', () => {
  it('all changes become due', () => {
    const debouncer = aDebouncer();
    for (const version of [1, 2]) {
      debouncer.offer(anEvent('a', version), 0);
      debouncer.take(0, 10);
    }
    debouncer.endAllWindows();
    expect(texts(debouncer.take(1, 10))).toEqual(['a: uid-a@2']);
  });
});

describe('any history of arrivals, refusals and time', () => {
  const step = fc.oneof(
    fc.record({ do: fc.constant('offer' as const), key: fc.constantFrom('a', 'b', 'c') }),
    fc.record({ do: fc.constant('send' as const), refused: fc.boolean(), most: fc.integer({ min: 1, max: 3 }) }),
    fc.record({ do: fc.constant('wait' as const), ms: fc.integer({ min: 0, max: 1_500 }) }),
  );

  it('ends with the newest version of every key accepted', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), steps => {
        const debouncer = aDebouncer();
        const newest = new Map<string, number>();
        const accepted = new Map<string, number>();
        let now = 0;
        const accept = (bundles: readonly ChangeBundle<string>[]): void => {
          for (const { key, sources } of bundles) {
            accepted.set(key, Math.max(...[...sources.values()].map(source => Number(source.resourceVersion))));
          }
        };
        for (const [version, one] of steps.entries()) {
          if (one.do === 'offer') {
            newest.set(one.key, version);
            debouncer.offer(anEvent(one.key, version), now);
          } else if (one.do === 'wait') {
            now += one.ms;
          } else {
            const bundles = debouncer.take(now, one.most);
            if (!one.refused) {
              accept(bundles);
              debouncer.accepted();
            } else if (bundles.length > 0) {
              debouncer.giveBack(bundles, now);
              debouncer.outage(now);
            }
          }
        }
        for (let wake = debouncer.nextDueAt(now); wake !== undefined; wake = debouncer.nextDueAt(now)) {
          now = Math.max(now, wake);
          accept(debouncer.take(now, 10));
        }
        expect(accepted).toEqual(newest);
        expect(debouncer.pending).toBe(0);
      }),
    );
  });
});
