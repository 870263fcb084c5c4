import { expect, it } from 'vitest';
import { isControlledBy } from '../../../../shared/machine-collections/controlled-by.ts';

const owner = { apiVersion: 'cluster.x-k8s.io/v1beta2', kind: 'MachineSet', name: 'ms1', uid: 'a' };

it.each([
  { ownerReferences: [{ ...owner, controller: true }], controlled: true, reason: 'its controller' },
  { ownerReferences: [owner], controlled: false, reason: 'an owner that is no controller' },
  { ownerReferences: [{ ...owner, uid: 'b', controller: true }], controlled: false, reason: 'another controller' },
  { ownerReferences: [], controlled: false, reason: 'no owner' },
])('an object has $reason', ({ ownerReferences, controlled }) => {
  expect(isControlledBy({ metadata: { ownerReferences } }, 'a')).toBe(controlled);
});

it('an object without owner references has no controller', () => {
  expect(isControlledBy({ metadata: {} }, 'a')).toBe(false);
});
