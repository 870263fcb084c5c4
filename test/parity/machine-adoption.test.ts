// The first reconcile writes nothing to Machines, MachinePools and MachineHealthChecks that upstream's controllers have
// reconciled, nor to their Nodes and Pods.
import { expect, it } from 'vitest';
import { seed } from '../../cli/plan/files.ts';
import { expectAdoptedMachines, machineExceptions, readMachineSnapshots } from './adopted-machines.ts';
import { managedObjects, recordedAt, withoutState } from './adopted-state.ts';
import { describeCorpus, readCorpusCrds } from './corpus.ts';

describeCorpus('adoption of the Machines that upstream left', () => {
  const crds = readCorpusCrds();
  const snapshots = readMachineSnapshots(crds);
  const managed = snapshots.flatMap(({ objects }) => managedObjects(objects));
  // All snapshots use one server, because parsing the definitions takes longer than a reconcile.
  const { kubernetes } = seed([...crds, ...managed], recordedAt);

  it.each(snapshots)('$scenario, $name', snapshot => expectAdoptedMachines(kubernetes, snapshot));

  it('has no exception for a state that does not exist, and states of each kind', () => {
    expect(withoutState(machineExceptions, snapshots)).toEqual([]);
    const kinds = new Set(managed.map(({ kind }) => kind));
    expect(['Machine', 'MachinePool', 'MachineHealthCheck'].filter(kind => !kinds.has(kind))).toEqual([]);
  });
});
