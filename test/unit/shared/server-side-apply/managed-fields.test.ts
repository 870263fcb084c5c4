import type { Unstructured } from '@capi-serverless/apimachinery';
import { describe, expect, it } from 'vitest';
import {
  isApplyOf,
  managedFieldsOf,
  repairManagedFields,
} from '../../../../shared/server-side-apply/managed-fields.ts';

const manager = 'capi-machinedeployment';
const nameOnly = { 'f:metadata': { 'f:name': {} } };

function aSet(managedFields: unknown): Unstructured {
  const metadata = { namespace: 'ns', name: 'ms1', uid: 'u', resourceVersion: '7', managedFields };
  return { apiVersion: 'cluster.x-k8s.io/v1beta2', kind: 'MachineSet', metadata };
}

describe('managed fields', () => {
  it('repairs an object without entries at the version that was read', () => {
    expect(repairManagedFields(aSet(undefined), manager)).toEqual({
      ref: { apiVersion: 'cluster.x-k8s.io/v1beta2', kind: 'MachineSet', namespace: 'ns', name: 'ms1' },
      resourceVersion: '7',
      body: {
        metadata: {
          managedFields: [
            {
              manager,
              operation: 'Apply',
              apiVersion: 'cluster.x-k8s.io/v1beta2',
              fieldsType: 'FieldsV1',
              fieldsV1: nameOnly,
            },
          ],
        },
      },
    });
  });

  it('keeps the entries of others', () => {
    const others = [{ manager: 'manager', operation: 'Update', fieldsV1: {} }];
    expect(repairManagedFields(aSet(others), manager)).toBeUndefined();
  });

  it('recognises an apply of this manager to the object itself', () => {
    const entries = [
      { manager, operation: 'Apply' },
      { manager, operation: 'Update' },
      { manager, operation: 'Apply', subresource: 'status' },
      { manager: 'kubectl', operation: 'Apply' },
    ];
    expect(managedFieldsOf(aSet(entries)).map(isApplyOf(manager))).toEqual([true, false, false, false]);
  });
});
