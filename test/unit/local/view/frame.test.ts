import { describe, expect, it } from 'vitest';
import type { ClusterSnapshot } from '../../../../functions/cluster/why/snapshot.ts';
import { toFrame } from '../../../../local/view/frame.ts';
import { aCluster, type ClusterBuilder } from '../../../support/builders.ts';

const layout = { width: 60, height: 20, color: false };

function withInfrastructure(cluster: ClusterBuilder): ClusterSnapshot {
  return {
    cluster: cluster.build(),
    infrastructure: { state: 'missing', kind: 'X', name: 'x' },
    controlPlane: undefined,
    machineDeployments: [],
    machinePools: [],
    machineHealthChecks: [],
    machines: [],
  };
}

const settled = withInfrastructure(aCluster().named('a').inPhase('Provisioned'));
const waiting = withInfrastructure(aCluster().named('b').inPhase('Pending'));

describe('a picture of all Clusters', () => {
  it('shows their trees, the last errors, and how many are Provisioned', () => {
    expect(toFrame({ snapshots: [settled, waiting], errors: ['Broken\nhere'], extensions: [] }, layout)).toEqual([
      '✓ ns/a    Provisioned',
      '└─ ? X/x  does not exist',
      '… ns/b    Pending',
      '└─ ? X/x  does not exist',
      '! Broken here',
      '2 Clusters, 1 Provisioned; Ctrl-C stops',
    ]);
  });

  it('reports that there are none', () => {
    expect(toFrame({ snapshots: [], errors: [], extensions: [] }, layout)).toEqual([
      '0 Clusters, 0 Provisioned; Ctrl-C stops',
    ]);
  });

  it('shows those that wait first, and settled ones in one line each, when there is not enough room', () => {
    expect(toFrame({ snapshots: [settled, waiting], errors: [], extensions: [] }, { ...layout, height: 4 })).toEqual([
      '… ns/b    Pending',
      '└─ ? X/x  does not exist',
      '✓ ns/a    Provisioned',
      '2 Clusters, 1 Provisioned; Ctrl-C stops',
    ]);
  });

  it.each([1, 2, 3, 4, 7])('never takes more than %i lines, and counts what it omits', height => {
    const snapshots = Array.from({ length: 9 }, () => waiting);
    const frame = toFrame({ snapshots, errors: ['e'], extensions: [] }, { ...layout, height });
    expect(frame).toHaveLength(height);
    expect(frame.at(-1)).toBe('9 Clusters, 0 Provisioned; Ctrl-C stops');
    expect(height < 4 || frame.some(line => / more lines$/.test(line))).toBe(true);
  });

  it('fits the width', () => {
    const frame = toFrame(
      { snapshots: [settled, waiting], errors: ['an error that is long'], extensions: [] },
      { ...layout, width: 12 },
    );
    expect(frame.filter(line => line.length > 12)).toEqual([]);
    expect(frame).toContain('! an error …');
  });
});
