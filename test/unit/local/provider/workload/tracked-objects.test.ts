import { describe, expect, it } from 'vitest';
import { createWorkloadCore } from '../../../../../local/provider/workload/simulated-workload-cluster.ts';
import { type TrackedChange, TrackedObjects } from '../../../../../local/provider/workload/tracked-objects.ts';
import { countingIds } from '../../../../support/memory-api.ts';

/** More changes than the history of a workload cluster keeps. */
const manyChanges = 1_300;

function open() {
  const core = createWorkloadCore({ now: () => 0, ids: countingIds() });
  const endpoint = core.registry.endpointOfKind('v1', 'Node');
  const address = (name: string) => ({ endpoint, namespace: '', name });
  return {
    core,
    tracked: new TrackedObjects(core, 'v1', 'Node'),
    add: (name: string) => core.create(endpoint, '', { apiVersion: 'v1', kind: 'Node', metadata: { name } }),
    label: (name: string, value: string) =>
      core.patch(address(name), { type: 'merge', body: { metadata: { labels: { value } } } }),
    remove: (name: string) => core.delete(address(name)),
  };
}

function describeChange({ key, object, previous }: TrackedChange): string {
  const text = (of: typeof object): string => (of === undefined ? 'none' : (of.metadata.labels?.['value'] ?? 'new'));
  return `${key} ${text(previous)} → ${text(object)}`;
}

describe('tracked objects', () => {
  it('are all objects at first, and then one change for each changed object', () => {
    const { tracked, add, label, remove } = open();
    const changes = () => tracked.takeChanges().map(describeChange);
    add('a');
    add('b');
    expect(changes()).toEqual(['a none → new', 'b none → new']);
    expect(changes()).toEqual([]);
    label('a', '1');
    label('a', '2');
    remove('b');
    add('c');
    expect(changes()).toEqual(['a new → 2', 'b new → none', 'c none → new']);
    expect([...tracked.objects.keys()]).toEqual(['a', 'c']);
  });

  it('include what was deleted while the history was lost', () => {
    const { tracked, add, label, remove } = open();
    add('a');
    add('b');
    tracked.takeChanges();
    remove('b');
    for (let count = 1; count <= manyChanges; count += 1) {
      label('a', String(count));
    }
    expect(tracked.takeChanges().map(describeChange)).toEqual([`a new → ${manyChanges}`, 'b new → none']);
    expect([...tracked.objects.keys()]).toEqual(['a']);
  });
});
