import { describe, expect, it } from 'vitest';
import { controllerUid } from '../../../../shared/machine-collections/controller-uid.ts';

const owner = { apiVersion: 'v1', kind: 'A', name: 'a', uid: 'u1' };

describe('the uid of the controller', () => {
  it.each([
    { ownerReferences: [owner, { ...owner, uid: 'u2', controller: true }], uid: 'u2', reason: 'the controller' },
    { ownerReferences: [owner, { ...owner, controller: false }], uid: undefined, reason: 'only other owners' },
    { ownerReferences: undefined, uid: undefined, reason: 'no owner' },
  ])('is $uid: $reason', ({ ownerReferences, uid }) => {
    expect(controllerUid(ownerReferences === undefined ? {} : { ownerReferences })).toBe(uid);
  });
});
