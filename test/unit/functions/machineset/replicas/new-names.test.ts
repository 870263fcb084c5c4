// The names of new Machines, orphaned objects, and the owners of new objects, where the API server is not needed.

import { createHash } from 'node:crypto';
import type { Unstructured } from '@capi-serverless/apimachinery';
import { noOutcomes } from '@capi-serverless/reconciler';
import { describe, expect, it } from 'vitest';
import { conclude } from '../../../../../functions/machineset/phases/pass-progress.ts';
import {
  createMachinesPhase,
  withoutOwnedMetadata,
} from '../../../../../functions/machineset/phases/replicas/create-machines.ts';
import { newMachineNames } from '../../../../../functions/machineset/phases/replicas/machine-names.ts';
import { orphanPhase } from '../../../../../functions/machineset/phases/replicas/orphans.ts';
import type { MachinesRead } from '../../../../../functions/machineset/seen.ts';
import { readWholeMachineSet } from '../../../../../shared/api/machine-set/whole-machine-set.ts';
import { aFooMachine, withFields } from '../propagation/members.ts';
import { aConfigTemplate, aMachineTemplate, aSet, machineSpec, refs } from '../set-with-machines.ts';

const machineSet = readWholeMachineSet(aSet().build());
const digest = (text: string) => createHash('sha256').update(text).digest();
const none: ReadonlySet<string> = new Set();

describe('the names of new Machines', () => {
  const namesOf = (count: number, { taken = none, last = '' } = {}) => {
    const set = last === '' ? aSet() : aSet().annotated({ 'capi-serverless.dev/last-machine-number': last });
    const found = newMachineNames({ machineSet: readWholeMachineSet(set.build()), count, taken, digest });
    return found.ok ? found.value : { names: [], last: -1 };
  };

  it('are numbered', () => {
    const { names, last } = namesOf(3);
    expect(new Set(names).size).toBe(3);
    expect(last).toBe(3);
    expect(namesOf(3)).toEqual({ names, last });
    expect(namesOf(2, { last: '1' })).toEqual({ names: names.slice(1), last });
    expect(namesOf(3, { last: 'many' })).toEqual({ names, last });
    expect(namesOf(3, { last: '1.5' })).toEqual({ names, last });
  });

  it('are not those of Machines that exist', () => {
    const [first = '', second] = namesOf(2).names;
    expect(namesOf(1, { taken: new Set([first]) })).toEqual({ names: [second], last: 2 });
  });

  it('are fewer if random characters repeat', () => {
    const found = newMachineNames({ machineSet, count: 3, taken: none, digest: () => new Uint8Array(32) });
    expect(found).toEqual({ ok: true, value: { names: ['ms1-bbbbb'], last: 13 } });
  });
});

describe('an orphaned object', () => {
  const orphan = aFooMachine('x').ownedBy(aSet());
  const setCreated = Date.parse('2026-01-01T00:00:00Z');
  const planOf = (object: Unstructured, { of = aSet().build(), now = setCreated, machines = listed } = {}) =>
    orphanPhase({
      ...{ machineSet: readWholeMachineSet(of), machines, now },
      infrastructureMachines: { state: 'listed', objects: [object] },
      bootstrapConfigs: { state: 'undefined' },
    });
  const listed: MachinesRead = { state: 'listed', members: [], adoptable: [] };
  const withoutTime = (object: Unstructured): Unstructured => {
    const { creationTimestamp: _, ...metadata } = object.metadata;
    return { ...object, metadata };
  };

  it.each([
    { reason: 'is as old as the MachineSet', object: orphan.build(), isDeleted: false },
    { reason: 'is older than the MachineSet', object: orphan.createdAt(setCreated - 1000).build(), isDeleted: true },
    { reason: 'has no time of creation', object: withoutTime(orphan.build()), isDeleted: true },
    {
      reason: 'has a MachineSet without time',
      object: orphan.build(),
      of: withoutTime(aSet().build()),
      isDeleted: false,
    },
    { reason: 'is as old as the timeout', object: orphan.build(), now: setCreated + 120_000, isDeleted: true },
    { reason: 'is almost as old as the timeout', object: orphan.build(), now: setCreated + 119_999, isDeleted: false },
  ])('that $reason is deleted: $isDeleted', ({ object, isDeleted, ...more }) => {
    const phase = planOf(object, more);
    expect(phase.actions).toMatchObject(
      isDeleted ? [{ do: 'delete', uid: object.metadata.uid, resourceVersion: '1' }] : [],
    );
    expect(conclude(phase, noOutcomes).requeues).toHaveLength(isDeleted ? 0 : 1);
  });

  it('is unknown without the Machines', () => {
    const machines: MachinesRead = { state: 'failed', problem: 'boom' };
    expect(planOf(orphan.createdAt(0).build(), { machines }).actions).toEqual([]);
  });
});

describe('the owners of a new object', () => {
  const entry = (manager: string, fieldsV1: object, operation = 'Apply') => ({ manager, operation, fieldsV1 });
  const spec = { 'f:spec': { 'f:size': {} } };

  it.each([
    {
      reason: 'the manager keeps what else it owns',
      given: entry('capi-machineset', {
        ...spec,
        'f:metadata': { 'f:labels': { 'f:a': {} }, 'f:ownerReferences': {} },
      }),
      after: entry('capi-machineset', { ...spec, 'f:metadata': { 'f:ownerReferences': {} } }),
    },
    {
      reason: 'nothing of the metadata is left',
      given: entry('capi-machineset', { ...spec, 'f:metadata': { 'f:annotations': { 'f:a': {} } } }),
      after: entry('capi-machineset', spec),
    },
  ])('change: $reason', ({ given, after }) => {
    const other = entry('other', { 'f:metadata': { 'f:labels': {} } });
    const repair = withoutOwnedMetadata(withFields(aFooMachine('x').build(), other, given));
    expect(repair?.body).toEqual({ metadata: { managedFields: [other, after] } });
    expect(repair?.resourceVersion).toBe('1');
  });

  it.each([
    { reason: 'of another manager', given: entry('other', { 'f:metadata': { 'f:labels': {} } }) },
    { reason: 'of an update', given: entry('capi-machineset', { 'f:metadata': { 'f:labels': {} } }, 'Update') },
    { reason: 'without metadata', given: entry('capi-machineset', spec) },
    { reason: 'without labels', given: entry('capi-machineset', { 'f:metadata': { 'f:ownerReferences': {} } }) },
  ])('are kept: an entry $reason', ({ given }) => {
    expect(withoutOwnedMetadata(withFields(aFooMachine('x').build(), given))).toBeUndefined();
  });

  it('are not changed before the object is created', () => {
    const { actions } = createMachinesPhase(
      {
        machineSet,
        infrastructure: { state: 'found', ref: machineSpec.infrastructureRef, object: aMachineTemplate.build() },
        bootstrap: { state: 'found', ref: machineSpec.bootstrap.configRef, object: aConfigTemplate.build() },
        preflight: { state: 'passed' },
        reserved: [],
      },
      { count: 1, taken: none, digest, mayCreate: () => true },
    );
    const patch = actions.find(({ id }) => id.endsWith(':bootstrap:owners'));
    if (patch?.do !== 'patch' || typeof patch.body !== 'function' || typeof patch.resourceVersion !== 'function') {
      throw new Error('The owners are not patched');
    }
    expect(patch.ref).toMatchObject({ kind: refs.config('x').kind, namespace: 'ns' });
    expect(patch.when?.(new Map())).toBe(false);
    expect(patch.body(new Map())).toEqual({});
    expect(patch.resourceVersion(new Map())).toBe('');
  });
});
