// The first reconcile writes nothing to Machines and MachineHealthChecks that upstream's controllers have reconciled, nor
// to their Nodes and Pods.
import { it } from 'vitest';
import { seed } from '../../cli/plan/files.ts';
import { expectAdoptedMachines, readMachineSnapshots } from './adopted-machines.ts';
import { managedObjects, recordedAt } from './adopted-state.ts';
import { describeCorpus, readCorpusCrds } from './corpus.ts';

describeCorpus('adoption of the Machines that upstream left', () => {
  const crds = readCorpusCrds();
  const snapshots = readMachineSnapshots(crds);
  const managed = snapshots.flatMap(({ objects }) => managedObjects(objects));
  // All snapshots use one server, because parsing the definitions takes longer than a reconcile.
  const { kubernetes } = seed([...crds, ...managed], recordedAt);

  it.each(snapshots)('$scenario, $name', snapshot => expectAdoptedMachines(kubernetes, snapshot));
});
