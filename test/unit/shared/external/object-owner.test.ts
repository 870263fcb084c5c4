import type { Outcome } from '@capi-serverless/reconciler';
import { describe, expect, it } from 'vitest';
import type { External, Scoped } from '../../../../shared/external/external.ts';
import {
  type ObjectOwnerRules,
  ownActionId,
  planObjectOwner,
  scopedAfter,
} from '../../../../shared/external/object-owner.ts';
import { ObjectBuilder } from '../../../support/object-builder.ts';

const ref = { apiGroup: 'example.com', kind: 'Foo', name: 'f1' };
const owner = { apiVersion: 'cluster.x-k8s.io/v1beta2', kind: 'Machine', name: 'm1', uid: 'u1', controller: true };
const rules: ObjectOwnerRules = {
  owner,
  clusterName: 'c1',
  isTemporary: reference => reference.kind === 'MachineSet',
  patchProblem: ({ kind }) => `failed to patch ${kind}`,
};
const needs = [{ id: 'own:bootstrap', problem: 'failed to patch Foo' }];
const settledMetadata = { ownerReferences: [owner], labels: { 'cluster.x-k8s.io/cluster-name': 'c1' } };

const found = (metadata: object, status = {}): Extract<External, { state: 'found' }> => {
  const object = new ObjectBuilder({ apiVersion: 'example.com/v1', kind: 'Foo', name: 'f1' })
    .withStatus(status)
    .build();
  return {
    state: 'found',
    ref,
    contract: 'v1beta2',
    object: { ...object, metadata: { ...object.metadata, resourceVersion: '7', ...metadata } },
  };
};

const planned = (external: External) => planObjectOwner('bootstrap', external, rules);

describe('the owner of a referenced object', () => {
  it.each<[string, External, Scoped, string]>([
    ['is not planned without a reference', { state: 'undefined' }, { state: 'undefined' }, ''],
    ['is not planned for a missing object', { state: 'missing', ref }, { state: 'missing', ref }, ''],
    [
      'is not planned for an object that was not read',
      { state: 'unreadable', ref, error: 'timeout' },
      { state: 'unknown', ref },
      'timeout',
    ],
  ])('%s', (_title, external, scoped, error) => {
    expect(planned(external)).toEqual({ role: 'bootstrap', scoped, error, actions: [], needs: [] });
  });

  it('is not written again', () => {
    const external = found(settledMetadata);
    expect(planned(external)).toEqual({
      role: 'bootstrap',
      scoped: { ...external, state: 'inScope' },
      error: '',
      actions: [],
      needs,
    });
  });

  it('is written in place of a temporary owner, with the resourceVersion that was read', () => {
    const external = found({
      ownerReferences: [{ apiVersion: 'cluster.x-k8s.io/v1beta2', kind: 'MachineSet', name: 's1', uid: 'u2' }],
    });
    expect(planned(external)).toEqual({
      role: 'bootstrap',
      scoped: { ...external, state: 'inScope' },
      error: '',
      actions: [
        {
          id: 'own:bootstrap',
          onError: 'continue',
          do: 'patch',
          ref: { apiVersion: 'example.com/v1', kind: 'Foo', namespace: 'ns', name: 'f1' },
          body: { metadata: settledMetadata },
          resourceVersion: '7',
        },
      ],
      needs,
    });
  });

  it('is refused if another object is the controller', () => {
    const other = { apiVersion: 'example.com/v1', kind: 'Bar', name: 'b1', uid: 'u3', controller: true };
    expect(planned(found({ ownerReferences: [other] }))).toEqual({
      role: 'bootstrap',
      scoped: { state: 'unknown', ref },
      error: 'Object ns/f1 is already owned by another Bar controller b1',
      actions: [],
      needs,
    });
  });

  it('is written although a failure field is unreadable, but the object is not used', () => {
    const { scoped, error, actions } = planned(found({}, { failureReason: 1 }));
    expect(scoped).toEqual({ state: 'unknown', ref });
    expect(error).toContain('failed to determine failureReason on example.com/v1, Kind=Foo "f1"');
    expect(actions.map(({ id }) => id)).toEqual([ownActionId('bootstrap')]);
  });
});

describe('a referenced object after the write of its owner', () => {
  const refused: Outcome = { state: 'failed', failure: { reason: 'Conflict', message: 'conflict' } };
  const after = (external: External, id: string, outcome: Outcome) =>
    scopedAfter(planned(external), new Map([[id, outcome]])).state;

  it('is unknown if the write failed', () => {
    const plan = planned(found({}));
    expect(scopedAfter(plan, new Map([['own:bootstrap', refused]]))).toEqual({ state: 'unknown', ref });
    expect(scopedAfter(plan, new Map())).toBe(plan.scoped);
  });

  it.each<[string, External, string, string]>([
    ['the write of another object failed', found({}), 'own:infrastructure', 'inScope'],
    ['the object is missing', { state: 'missing', ref }, 'own:bootstrap', 'missing'],
  ])('is unchanged if %s', (_reason, external, id, state) => {
    expect(after(external, id, refused)).toBe(state);
  });
});
