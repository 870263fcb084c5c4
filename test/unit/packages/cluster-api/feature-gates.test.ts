import { describe, expect, it } from 'vitest';
import { declarations } from '../../../../functions/declarations.ts';
import {
  defaultFeatureGates,
  gatesWhere,
  ofGates,
  parseFeatureGates,
} from '../../../../packages/cluster-api/feature-gates.ts';

const ofPoolsAndSets = ['clusterresourceset', 'clusterresourcesetbinding', 'machinepool'];

function running(text: string): readonly string[] {
  const gates = parseFeatureGates(text);
  return ofGates(declarations, gates.ok ? gates.value : defaultFeatureGates).map(({ name }) => name);
}

/** The reconcilers that need none of these gates. */
function without(...off: readonly string[]): readonly string[] {
  return declarations.filter(({ gate = '' }) => !off.includes(gate)).map(({ name }) => name);
}

describe('the reconcilers of a set of feature gates', () => {
  it.each([
    { gates: '', names: without('ClusterTopology', 'RuntimeSDK'), of: 'cluster', reason: "upstream's defaults" },
    { gates: 'ClusterTopology=true', names: without('RuntimeSDK'), of: 'topology', reason: 'topologies' },
    { gates: 'RuntimeSDK=true', names: without('ClusterTopology'), of: 'extensionconfig', reason: 'extensions' },
    { gates: 'RuntimeSDK=true,ClusterTopology=true', names: without(), of: 'topology', reason: 'both' },
  ])('are those that need no other: $reason', ({ gates, names, of }) => {
    expect(running(gates)).toEqual(names);
    expect(names).toContain(of);
  });

  it('lack those of the others', () => {
    expect(running('')).not.toContain('topology');
    expect(running('ClusterTopology=true')).not.toContain('extensionconfig');
    expect(running('RuntimeSDK=true')).not.toContain('topology');
    expect(running('')).toEqual(expect.arrayContaining(ofPoolsAndSets));
    expect(running('MachinePool=false,ClusterResourceSet=false')).toEqual(
      running('').filter(name => !ofPoolsAndSets.includes(name)),
    );
  });
});

it('leaves out the watches of a gate that is off, and keeps the declaration if none is', () => {
  const clusters = declarations.filter(({ name }) => name === 'cluster');
  const kindsOf = (text: string): readonly unknown[] => {
    const gates = parseFeatureGates(text);
    const [running] = gates.ok ? ofGates(clusters, gates.value) : [];
    return running?.watches.map(({ source }) => (source === 'referenced' ? source : source.kind)) ?? [];
  };
  expect(kindsOf('')).toContain('MachinePool');
  expect(kindsOf('MachinePool=false')).toEqual(kindsOf('').filter(kind => kind !== 'MachinePool'));
  expect(ofGates(clusters, defaultFeatureGates)).toEqual(clusters);
});

describe('a text of feature gates', () => {
  it.each([
    { text: 'Nope=true', problem: '"Nope=true" names no gate', reason: 'a gate that is not known' },
    { text: 'MachinePool', problem: '"MachinePool" names no gate', reason: 'no value' },
    {
      text: '=true',
      problem:
        '"=true" names no gate that is known here: ClusterTopology, RuntimeSDK, MachinePool, ClusterResourceSet, InPlaceUpdates, MachineTaintPropagation',
      reason: 'no name',
    },
    { text: 'x\nMachinePool=true', problem: 'names no gate', reason: 'a line before it' },
    { text: 'MachinePool=true\nx', problem: 'names no gate', reason: 'a line after it' },
    {
      text: 'InPlaceUpdates=true',
      problem: 'InPlaceUpdates=true requires RuntimeSDK=true',
      reason: 'an extension makes the update',
    },
    { text: 'MachinePool=yes', problem: 'MachinePool must be true or false', reason: 'another value' },
  ])('is refused: $reason', ({ text, problem }) => {
    const gates = parseFeatureGates(text);
    expect(gates.ok ? '' : gates.error).toContain(problem);
  });

  it('has the defaults without any gate', () => {
    expect(parseFeatureGates('')).toEqual({
      ok: true,
      value: {
        ClusterTopology: false,
        RuntimeSDK: false,
        MachinePool: true,
        ClusterResourceSet: true,
        InPlaceUpdates: false,
        MachineTaintPropagation: false,
      },
    });
  });

  it('keeps the default of a gate that it does not name, and the last value of one that it names twice', () => {
    const gates = parseFeatureGates(' RuntimeSDK=true, RuntimeSDK=false,');
    expect(gates).toEqual({ ok: true, value: defaultFeatureGates });
  });
});

describe('gates by name', () => {
  it('are those for which the function returns true', () => {
    expect(gatesWhere(name => name === 'RuntimeSDK')).toEqual({
      ClusterTopology: false,
      RuntimeSDK: true,
      MachinePool: false,
      ClusterResourceSet: false,
      InPlaceUpdates: false,
      MachineTaintPropagation: false,
    });
  });
});
