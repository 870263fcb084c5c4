import { describe, expect, it } from 'vitest';
import { Deadlines } from '../../../../functions/watch-forwarder/deadlines.ts';
import { fc } from '../../../support/property.ts';

describe('deadlines', () => {
  it('are returned when they pass, the earliest first', () => {
    const deadlines = new Deadlines();
    for (const [key, at] of [
      ['late', 30],
      ['early', 10],
      ['middle', 20],
    ] as const) {
      deadlines.set(key, at);
    }
    expect(deadlines.next()).toBe(10);
    expect([deadlines.takeDue(25), deadlines.takeDue(25), deadlines.takeDue(25)]).toEqual([
      'early',
      'middle',
      undefined,
    ]);
    expect(deadlines.next()).toBe(30);
  });

  it('can be moved both ways, and count once', () => {
    const deadlines = new Deadlines();
    for (const at of [20, 10, 40, 10, 30]) {
      deadlines.set('a', at);
    }
    expect(deadlines.get('a')).toBe(30);
    expect(deadlines.takeDue(29)).toBeUndefined();
    expect(deadlines.takeDue(30)).toBe('a');
    expect(deadlines.takeDue(100)).toBeUndefined();
    expect(deadlines.next()).toBeUndefined();
  });

  it('can be cleared', () => {
    const deadlines = new Deadlines();
    deadlines.set('a', 1);
    deadlines.clear();
    expect(deadlines.next()).toBeUndefined();
    expect(deadlines.takeDue(1)).toBeUndefined();
  });

  it('are returned in order, like a sorted list', () => {
    const settings = fc.array(fc.tuple(fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f'), fc.nat(50)), { maxLength: 60 });
    fc.assert(
      fc.property(settings, all => {
        const deadlines = new Deadlines();
        for (const [key, at] of all) {
          deadlines.set(key, at);
        }
        const times = new Map<string, number>(all);
        const taken: number[] = [];
        for (let key = deadlines.takeDue(50); key !== undefined; key = deadlines.takeDue(50)) {
          taken.push(times.get(key) ?? -1);
        }
        expect(taken).toEqual([...times.values()].toSorted((a, b) => a - b));
      }),
    );
  });
});
