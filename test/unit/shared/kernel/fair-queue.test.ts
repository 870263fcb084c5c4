// A hostile namespace has many entries, and another one waits for one turn only.
import { describe, expect, it } from 'vitest';
import { FairQueue } from '../../../../shared/kernel/fair-queue.ts';

function aQueue(entries: Readonly<Record<string, readonly string[]>>, limits = {}) {
  const queue = new FairQueue<string>(limits);
  const dropped = Object.entries(entries).flatMap(([owner, own]) => own.map(entry => queue.add(owner, entry)));
  return { queue, dropped: dropped.filter(entry => entry !== undefined) };
}

const many = Array.from({ length: 1_500 }, (_, index) => `many-${index}`);

describe('the turns of a fair queue', () => {
  it('alternate between owners, and keep the order of one owner', () => {
    const { queue } = aQueue({ a: ['a1', 'a2', 'a3'], b: ['b1', 'b2'], c: ['c1'] });
    expect(queue.drain()).toEqual(['a1', 'b1', 'c1', 'a2', 'b2', 'a3']);
    expect(queue.next()).toBeUndefined();
  });

  it('let one entry wait for one turn of a hostile owner', () => {
    const { queue } = aQueue({ hostile: many, other: ['one'] });
    expect([queue.next(), queue.next()]).toEqual(['many-0', 'one']);
    expect(queue.size).toBe(many.length - 1);
  });

  it('do not come back for an owner without entries', () => {
    const { queue } = aQueue({ a: ['a1'], b: ['b1', 'b2'] });
    expect(queue.next()).toBe('a1');
    queue.add('a', 'a2');
    expect(queue.drain()).toEqual(['b1', 'a2', 'b2']);
  });

  it('skip deleted entries', () => {
    const { queue } = aQueue({ a: ['a1', 'a2'], b: ['b1'] });
    expect([queue.delete('a1'), queue.delete('b1'), queue.delete('b1')]).toEqual([true, true, false]);
    expect([queue.has('a1'), queue.has('a2')]).toEqual([false, true]);
    expect(queue.drain()).toEqual(['a2']);
  });
});

describe('a full queue', () => {
  it('drops the last entry of the owner with the most entries', () => {
    const { queue, dropped } = aQueue({ hostile: ['h1', 'h2', 'h3'], other: ['o1'] }, { most: 3 });
    expect(dropped).toEqual(['h3']);
    expect(queue.drain()).toEqual(['h1', 'o1', 'h2']);
  });

  it('drops the new entry of an owner that has as many as the others', () => {
    expect(aQueue({ a: ['a1'], b: ['b1', 'b2'] }, { most: 2 }).dropped).toEqual(['b2']);
  });

  it('leaves an equal share to the last one of several owners', () => {
    const { queue } = aQueue({ a: many.slice(0, 20), b: many.slice(20, 40), c: ['c1', 'c2'] }, { most: 6 });
    expect(queue.drain()).toEqual(['many-0', 'many-20', 'c1', 'many-1', 'many-21', 'c2']);
  });

  it('drops what is beyond the share of an owner', () => {
    const { queue, dropped } = aQueue({ a: ['a1', 'a2', 'a3'], b: ['b1'] }, { mostOfOwner: 2 });
    expect(dropped).toEqual(['a3']);
    expect(queue.size).toBe(3);
  });
});
