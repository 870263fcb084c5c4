// Reconciles change no field of MachineSets and MachineDeployments that upstream's controllers have reconciled,
// nor of their Machines and templates. The recordings omit managed fields, which two reconciles restore. The third one
// writes nothing.
import { expect, it } from 'vitest';
import { seed } from '../../cli/plan/files.ts';
import { expectAdoptedRollouts, readRolloutSnapshots, rolloutExceptions } from './adopted-rollouts.ts';
import { recordedAt } from './adopted-state.ts';
import { describeCorpus, readCorpusCrds } from './corpus.ts';

describeCorpus('adoption of the MachineSets and MachineDeployments that upstream left', () => {
  const crds = readCorpusCrds();
  const snapshots = readRolloutSnapshots(crds);
  // All snapshots use one server, because parsing the definitions takes longer than a reconcile.
  const { kubernetes } = seed([...crds, ...snapshots.flatMap(({ objects }) => objects)], recordedAt);

  it.each(snapshots)('$scenario, $name', snapshot => expectAdoptedRollouts(kubernetes, snapshot));

  it('has no exception for a state that does not exist', () => {
    const names = snapshots.map(({ scenario, name }) => `${scenario}, ${name}`);
    expect(rolloutExceptions.filter(({ scenario, snapshot }) => !names.includes(`${scenario}, ${snapshot}`))).toEqual(
      [],
    );
    expect(snapshots.length).toBeGreaterThan(50);
  });
});
