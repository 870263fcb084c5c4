import { expect, it } from 'vitest';
import { listMachineSets } from '../../../../shared/template-cleanup/list-machine-sets.ts';
import { aMachineSet } from '../../../support/builders.ts';
import { fakeReads } from '../../../support/fake-reads.ts';
import { anOwnedDeployment, anOwnedSet } from '../../../support/topology-workers.ts';

const deployment = anOwnedDeployment();
const { metadata } = deployment.build();

it('finds the MachineSets with the label of the MachineDeployment', async () => {
  const set = anOwnedSet('ms1', deployment, 'ms1');
  const found = await listMachineSets(metadata, fakeReads([set, aMachineSet()]));
  expect(found).toEqual({ ok: true, value: [set.build()] });
});

it('returns why the list failed, with the name of the MachineDeployment', async () => {
  const found = await listMachineSets(metadata, fakeReads([], [{ at: 'list MachineSet ns', message: 'boom' }]));
  const error = 'failed to list MachineSets for MachineDeployment ns/md1: boom';
  expect(found).toEqual({ ok: false, error });
});

it('searches the empty namespace for a MachineDeployment without one', async () => {
  const reads = fakeReads([]);
  expect(await listMachineSets({ name: 'md1' }, reads)).toEqual({ ok: true, value: [] });
  expect(reads.trips).toEqual([['list MachineSet ']]);
});
