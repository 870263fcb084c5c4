import { toRef } from '@capi-serverless/apimachinery';
import { describe, expect, it } from 'vitest';
import {
  machineSetTopologyFinalizer as finalizer,
  machineSetTopologyReconciler as reconciler,
} from '../../../../functions/machineset-topology/reconciler.ts';
import { aCluster, aMachineSet } from '../../../support/builders.ts';
import { createMemoryApi } from '../../../support/memory-api.ts';
import type { Built } from '../../../support/object-builder.ts';
import { resultText } from '../../../support/result-text.ts';
import { anOwnedDeployment, anOwnedSet, invoke, owned, templatesNamed } from '../../../support/topology-workers.ts';

const theirs = 'example.com/theirs';
const md = anOwnedDeployment('md1', 'new');
const old = anOwnedSet('old', md, 'old');
const deleting = old.withFinalizers(finalizer).deleting();
const ref = toRef(deleting.build());

async function run(...objects: readonly Built[]) {
  const api = createMemoryApi();
  api.given(aCluster(), ...templatesNamed('old', 'new'), ...objects);
  const { result } = await invoke(reconciler, api, ref);
  const deleted = api.calls.writes.filter(line => line.startsWith('delete')).map(line => line.split(' ')[2]);
  return { api, result: resultText(result), deleted, of: api.find(ref) };
}

describe('a MachineSet of a topology', () => {
  it('gets the finalizer before it is deleted', async () => {
    const { of, result } = await run(md, old);
    expect(of?.metadata.finalizers).toEqual([finalizer]);
    expect(result).toBe('done');
  });

  it.each([
    {
      others: [md],
      deleted: ['ns/old-boot', 'ns/old-infra'],
      reason: 'no other object uses the old ones',
    },
    { others: [], deleted: ['ns/old-boot', 'ns/old-infra'], reason: 'the MachineDeployment does not exist' },
    { others: [anOwnedDeployment('md1', 'old')], deleted: [], reason: 'the MachineDeployment uses them' },
    {
      others: [anOwnedDeployment('md1', 'old').withFinalizers(theirs).deleting()],
      deleted: ['ns/old-boot', 'ns/old-infra'],
      reason: 'the MachineDeployment is being deleted',
    },
    { others: [md, anOwnedSet('other', md, 'old')], deleted: [], reason: 'another MachineSet uses them' },
    {
      others: [md, anOwnedSet('other', md, 'old').withFinalizers(theirs).deleting()],
      deleted: ['ns/old-boot', 'ns/old-infra'],
      reason: 'the other MachineSet is being deleted',
    },
    {
      others: [md, anOwnedSet('other', anOwnedDeployment('md2'), 'old')],
      deleted: ['ns/old-boot', 'ns/old-infra'],
      reason: 'a MachineSet of another MachineDeployment does not count',
    },
  ])('is deleted, and of its templates $deleted: $reason', async ({ others, deleted }) => {
    const pass = await run(...others, deleting);
    expect(pass.deleted).toEqual(deleted);
    expect(pass.of).toBeUndefined();
    expect(pass.result).toBe('done');
  });

  const unowned = aMachineSet().named('old').labelled(owned).withFinalizers(finalizer);

  it.each([
    { orphan: unowned, reason: 'no owner' },
    { orphan: unowned.ownedBy(aCluster()), reason: 'an owner of another kind' },
    {
      orphan: unowned.ownedBy({ ...md.build(), apiVersion: 'apps.example.com/v1' }),
      reason: 'a MachineDeployment of another group',
    },
  ])('keeps its finalizer without an owning MachineDeployment: $reason', async ({ orphan }) => {
    const { of, result } = await run(orphan.deleting());
    expect(of).toBeDefined();
    expect(result).toBe('could not calculate MachineDeployment name for MachineSet ns/old');
  });

  it.each([
    { kind: 'MachineSet', verb: 'list', text: 'failed to list MachineSets for MachineDeployment ns/md1: boom' },
    { kind: 'MachineDeployment', verb: 'get', text: 'failed to get MachineDeployment ns/md1: boom' },
  ])('keeps its finalizer while a $kind that may use its templates cannot be read', async ({ kind, verb, text }) => {
    const api = createMemoryApi();
    api.given(aCluster(), md, ...templatesNamed('old'), deleting);
    const failure = { reason: 'InternalError', message: 'boom' } as const;
    api.calls.fail({ at: call => call.verb === verb && call.kind === kind, failure });
    const { result } = await invoke(reconciler, api, ref);
    expect(resultText(result)).toBe(text);
    expect(api.calls.writes).toEqual([]);
  });
});
