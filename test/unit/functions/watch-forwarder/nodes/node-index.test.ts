import { describe, expect, it } from 'vitest';
import { NodeIndex } from '../../../../../functions/watch-forwarder/nodes/node-index.ts';

const named = (name: string, namespace = 'ns') => ({ namespace, name });
const [c1, c2] = [named('c1'), named('c2')];

describe('the index of Nodes', () => {
  it('follows a Machine that gets another Node, or another Cluster', () => {
    const index = new NodeIndex();
    expect(index.set(named('m1'), { cluster: c1, node: 'n1' })).toBe(true);
    expect(index.set(named('m2'), { cluster: c1, node: 'n1' })).toBe(false);
    expect(index.primariesOf(c1, 'n1')).toEqual([named('m1'), named('m2')]);
    index.set(named('m1'), { cluster: c1, node: 'n2' });
    index.set(named('m1'), { cluster: c1, node: 'n2' });
    expect([index.primariesOf(c1, 'n1'), index.primariesOf(c1, 'n2')]).toEqual([[named('m2')], [named('m1')]]);
    expect(index.set(named('m2'), { cluster: c2, node: 'n1' })).toBe(true);
    expect([index.nodesOf(c1), index.nodesOf(c2)]).toEqual([['n2'], ['n1']]);
  });

  it('knows a Cluster as long as a Machine of it has or expects a Node', () => {
    const index = new NodeIndex();
    index.set(named('m1'), { cluster: c1, node: '' });
    expect([index.has(c1), index.has(c2), index.has(named('c1', 'other'))]).toEqual([true, false, false]);
    index.set(named('m1'), { cluster: c1, node: 'n1' });
    expect(index.has(c1)).toBe(true);
    expect(index.set(named('m1'), undefined)).toBe(true);
    expect(index.set(named('m1'), undefined)).toBe(false);
    index.delete('ns/m1');
    expect([index.has(c1), index.primaries, index.nodesOf(c1), index.primariesOf(c1, 'n1')]).toEqual([
      false,
      [],
      [],
      [],
    ]);
  });

  it('returns at most 100 Machines that wait for a Node', () => {
    const index = new NodeIndex();
    for (let number = 0; number < 150; number += 1) {
      index.set(named(`m${number}`), { cluster: c1, node: '' });
    }
    expect(index.primariesOf(c1, 'n1')).toHaveLength(100);
  });
});
