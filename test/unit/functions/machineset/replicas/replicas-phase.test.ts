import { describe, expect, it } from 'vitest';
import { inDeletionOrder } from '../../../../../functions/machineset/phases/replicas/replicas-phase.ts';
import { listOfFacts, namesOf, testNow } from './facts.ts';

describe('the order of deletion', () => {
  it.each([
    { order: '', machines: 'c, a, b', names: 'a b c', reason: 'by name' },
    { order: 'Random', machines: 'c age=9, a age=1, b age=5', names: 'a b c', reason: 'age does not matter' },
    {
      order: 'Random',
      machines: 'a, b unhealthy, c updating, d chosen, e deleting',
      names: 'e d c b a',
      reason: 'the state decides',
    },
    {
      order: 'Random',
      machines: 'a chosen deleting, b deleting, c chosen',
      names: 'a b c',
      reason: 'deletion is first',
    },
    { order: 'Random', machines: 'a updating unhealthy, b chosen updating', names: 'b a', reason: 'the first match' },
    { order: 'Random', machines: 'b unhealthy, a noNode, c', names: 'a b c', reason: 'no Node is unhealthy' },
    { order: 'Newest', machines: 'a age=3, b age=1, c age=2', names: 'b c a', reason: 'the newest' },
    { order: 'Oldest', machines: 'a age=1, b age=3, c age=2', names: 'b c a', reason: 'the oldest' },
    { order: 'Newest', machines: 'b age=2, a age=2', names: 'a b', reason: 'the same age' },
    { order: 'Oldest', machines: 'a age=9999, b unhealthy', names: 'a b', reason: 'very old is like unhealthy' },
    { order: 'Oldest', machines: 'b age=50, a unhealthy', names: 'a b', reason: 'old is less than unhealthy' },
    { order: 'Newest', machines: 'b age=0, a unhealthy, c age=1', names: 'a b c', reason: 'new is like unhealthy' },
    { order: 'Oldest', machines: 'c age=1, b age=unknown, a age=-5', names: 'c a b', reason: 'no age and the future' },
    { order: 'Newest', machines: 'c age=1, b age=unknown, a age=-5', names: 'a b c', reason: 'no age and the future' },
  ])('$order of $machines: $names ($reason)', ({ order, machines, names }) => {
    const found = inDeletionOrder(listOfFacts(machines), order, testNow);
    expect(found.ok && namesOf(found.value)).toBe(names);
  });

  it.each(['Foo', 'constructor', 'random'])('%s is not supported', order => {
    expect(inDeletionOrder([], order, testNow)).toEqual({
      ok: false,
      error: `Unsupported deletion order ${order}. Must be one of 'Random', 'Newest', or 'Oldest'`,
    });
  });
});
