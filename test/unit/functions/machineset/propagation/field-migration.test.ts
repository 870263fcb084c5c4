import { expect, it } from 'vitest';
import { migrateManagedFields } from '../../../../../functions/machineset/phases/propagation/field-migration.ts';
import { aFooMachine, withFields } from './members.ts';

const old = {
  ...{ manager: 'capi-machineset', operation: 'Apply', apiVersion: 'v' },
  fieldsV1: { 'f:metadata': { 'f:labels': { 'f:cluster.x-k8s.io/cluster-name': {} } } },
};
const update = { manager: 'manager', operation: 'Update', fieldsV1: {} };
const status = { manager: 'manager', operation: 'Update', subresource: 'status', fieldsV1: {} };
const object = aFooMachine('m1').atResourceVersion('9').build();

it('objects of older versions get the manager of the metadata, at the version that was read', () => {
  const updateOfSet = { manager: 'capi-machineset', operation: 'Update', subresource: '', fieldsV1: {} };
  const applyOfManager = { manager: 'manager', operation: 'Apply', fieldsV1: {} };
  const entries = [old, { ...update, subresource: '' }, update, status, updateOfSet, applyOfManager];
  expect(migrateManagedFields(withFields(object, ...entries))).toEqual({
    ref: { apiVersion: object.apiVersion, kind: 'FooMachine', namespace: 'ns', name: 'm1' },
    resourceVersion: '9',
    body: {
      metadata: {
        managedFields: [
          ...[status, updateOfSet, applyOfManager],
          {
            ...{ manager: 'capi-machineset-metadata', operation: 'Apply', apiVersion: object.apiVersion },
            ...{ fieldsType: 'FieldsV1', fieldsV1: { 'f:metadata': { 'f:name': {} } } },
          },
        ],
      },
    },
  });
});

it.each([
  { entries: [], reason: 'no managed fields' },
  { entries: [{ ...old, fieldsV1: { 'f:spec': {} } }], reason: 'only the spec' },
  { entries: [{ ...old, fieldsV1: { 'f:metadata': { 'f:labels': null } } }], reason: 'no labels' },
  { entries: [{ ...old, fieldsV1: { 'f:metadata': { 'f:labels': { 'f:a': {} } } } }], reason: 'other labels' },
  { entries: [{ ...old, manager: 'other' }], reason: 'another manager' },
  { entries: [{ ...old, operation: 'Update' }], reason: 'an update' },
])('other objects are not migrated: $reason', ({ entries }) => {
  expect(migrateManagedFields(withFields(object, ...entries))).toBeUndefined();
});
