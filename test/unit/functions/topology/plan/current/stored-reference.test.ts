// The object of a reference without an API version.

import { answered, invalid, type ObjectMeta, refused, valid } from '@capi-serverless/apimachinery';
import { describe, expect, it } from 'vitest';
import {
  checkOwned,
  isOfClass,
  isTopologyOwned,
  type StoredReference,
  toAlignedRef,
  toObjectRef,
} from '../../../../../../functions/topology/plan/current/stored-reference.ts';
import { aProviderObject } from '../../../../../support/topology-objects.ts';

const apiGroup = 'infrastructure.cluster.x-k8s.io';
const from = { apiVersion: `${apiGroup}/v1beta2`, kind: 'GenericMachineTemplate', name: 'template' } as const;
const object = {
  ref: { apiGroup, kind: 'GenericMachine', name: 'm' },
  ...{ from, names: 'object', namespace: 'ns1' },
} as const satisfies StoredReference;
const template = { ...object, ref: { ...object.ref, kind: 'GenericMachineTemplate' }, names: 'template' } as const;

describe('a reference of the class', () => {
  it.each<{ reason: string; stored: StoredReference; isOf: boolean }>([
    { reason: 'an object of its kind', stored: object, isOf: true },
    { reason: 'a template of its kind', stored: template, isOf: true },
    { reason: 'an object where a template belongs', stored: { ...object, names: 'template' }, isOf: false },
    { reason: 'a template where an object belongs', stored: { ...template, names: 'object' }, isOf: false },
    { reason: 'another group', stored: { ...object, ref: { ...object.ref, apiGroup: 'g' } }, isOf: false },
    { reason: 'another kind', stored: { ...object, ref: { ...object.ref, kind: 'Other' } }, isOf: false },
  ])('has its group and kind: $reason', ({ stored, isOf }) => {
    expect(isOfClass(stored)).toBe(isOf);
  });

  it('is read in the version of the class', () => {
    expect(toObjectRef(object, from.apiVersion)).toEqual({
      ...{ apiVersion: `${apiGroup}/v1beta2`, kind: 'GenericMachine', namespace: 'ns1', name: 'm' },
    });
  });
});

describe('another reference', () => {
  const metadata: ObjectMeta = { name: 'crd', uid: 'u', resourceVersion: '1' };

  it('is read in the version of the newest contract', () => {
    const labels = { 'cluster.x-k8s.io/v1beta1': 'v1', 'cluster.x-k8s.io/v1beta2': 'v2' };
    expect(toAlignedRef(object, answered({ ...metadata, labels }))).toEqual(
      valid(toObjectRef(object, `${apiGroup}/v2`)),
    );
  });

  it('is an error where the definition cannot be read or names no contract', () => {
    expect(toAlignedRef(object, refused({ reason: 'Forbidden', message: 'no right' }))).toEqual(
      invalid('failed to align ref apiVersion: failed to get CustomResourceDefinition metadata: no right'),
    );
    expect(toAlignedRef(object, answered(metadata))).toEqual(
      invalid(expect.stringMatching(/^failed to align ref apiVersion: ./)),
    );
  });
});

describe('an object behind a reference', () => {
  const machine = aProviderObject('infrastructure', 'GenericMachine', 'm');
  const owned = machine.labelled({ 'topology.cluster.x-k8s.io/owned': 'any' });

  it('must belong to a topology, with any value of the label', () => {
    expect(isTopologyOwned(owned.build())).toBe(true);
    expect(isTopologyOwned(machine.build())).toBe(false);
    expect(checkOwned(valid(owned.build()), 'Cluster ns1/c1')).toEqual(valid(owned.build()));
    expect(checkOwned(valid(machine.build()), 'Cluster ns1/c1')).toEqual(
      invalid('GenericMachine ns1/m referenced from Cluster ns1/c1 is not topology owned'),
    );
    expect(checkOwned(invalid('not found'), 'Cluster ns1/c1')).toEqual(invalid('not found'));
  });
});
