import { describe, expect, it } from 'vitest';
import { declarations } from '../../../../functions/declarations.ts';
import { defaultFeatureGates, ofGates, parseFeatureGates } from '../../../../shared/config/feature-gates.ts';

function running(text: string): readonly string[] {
  const gates = parseFeatureGates(text);
  return ofGates(declarations, gates.ok ? gates.value : defaultFeatureGates).map(({ name }) => name);
}

describe('the reconcilers of a set of feature gates', () => {
  it.each([
    { gates: '', names: ['cluster'], reason: "upstream's defaults" },
    {
      gates: 'ClusterTopology=true',
      names: ['cluster', 'clusterclass', 'machinedeployment-topology', 'machineset-topology', 'topology'],
      reason: 'topologies',
    },
    { gates: 'RuntimeSDK=true', names: ['cluster', 'extensionconfig'], reason: 'extensions' },
    { gates: 'RuntimeSDK=true,ClusterTopology=true', names: declarations.map(({ name }) => name), reason: 'both' },
  ])('are those that need no other: $reason', ({ gates, names }) => {
    expect(running(gates)).toEqual(names);
  });
});
