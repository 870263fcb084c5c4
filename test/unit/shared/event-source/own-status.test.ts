import type { Unstructured } from '@capi-serverless/apimachinery';
import { describe, expect, it } from 'vitest';
import { conditionsOfOthers, contentWithoutOwnStatus } from '../../../../shared/event-source/own-status.ts';

const reporter = {
  fieldManager: 'us',
  owns: { conditions: ['Available'], v1beta1: ['Ready'], status: [] },
};

type Entry = {
  readonly manager: string;
  readonly time?: string;
  readonly subresource?: string;
  readonly fieldsV1?: object;
};

const at = (second: number): string => `2026-01-01T00:00:0${second}Z`;
const report = (manager: string, second: number): Entry => ({ manager, subresource: 'status', time: at(second) });
const ours = (second: number): Entry => report('us', second);
const other = (second: number): Entry => report('other', second);
const timeless: Entry = { manager: 'other', subresource: 'status' };

function anObject(managedFields: readonly Entry[], metadata: object = {}): Unstructured {
  const known = { name: 'w', uid: 'u', generation: 1, resourceVersion: '7' };
  return { apiVersion: 'v1', kind: 'Widget', metadata: { ...known, ...{ managedFields }, ...metadata } };
}

/** Whether the event of the second object is dropped after that of the first. */
function isDropped(before: Unstructured, after: Unstructured): boolean {
  return contentWithoutOwnStatus(before, reporter) === contentWithoutOwnStatus(after, reporter);
}

const next = { resourceVersion: '8' };

describe('the event of a status', () => {
  it.each([
    { reason: 'of the reconciler', before: [ours(1)], after: [ours(2)], dropped: true },
    { reason: 'of the reconciler, twice in a second', before: [ours(1)], after: [ours(1)], dropped: true },
    { reason: 'of the reconciler, later', before: [other(1), ours(2)], after: [other(1), ours(3)], dropped: true },
    { reason: 'of another one', before: [ours(1)], after: [ours(1), other(2)], dropped: false },
    { reason: 'of the same second', before: [ours(1), other(2)], after: [ours(2), other(2)], dropped: false },
    { reason: 'of another one again', before: [ours(1), other(2)], after: [ours(1), other(2)], dropped: false },
    { reason: 'without a time', before: [ours(2), timeless], after: [ours(3), timeless], dropped: false },
    {
      reason: 'from which someone removed a field',
      before: [{ ...ours(1), fieldsV1: { 'f:status': { 'f:phase': {} } } }],
      after: [{ ...ours(1), fieldsV1: { 'f:status': {} } }],
      dropped: false,
    },
    { reason: 'without managed fields', before: [], after: [], dropped: false },
  ])('$reason is dropped: $dropped', ({ before, after, dropped }) => {
    expect(isDropped(anObject(before), anObject(after, next))).toBe(dropped);
  });

  it.each([
    { reason: 'the spec', metadata: { generation: 2 } },
    { reason: 'a label', metadata: { labels: { a: 'b' } } },
    { reason: 'an annotation', metadata: { annotations: { a: 'b' } } },
    { reason: 'a finalizer', metadata: { finalizers: ['a'] } },
    { reason: 'an owner', metadata: { ownerReferences: [{ kind: 'Cluster', name: 'c' }] } },
    { reason: 'the deletion', metadata: { deletionTimestamp: at(9) } },
    { reason: 'the object', metadata: { uid: 'v' } },
    { reason: 'that someone removed the managed fields', metadata: { managedFields: [] } },
  ])('is kept with another change: $reason', ({ metadata }) => {
    expect(isDropped(anObject([ours(1)]), anObject([ours(2)], { ...next, ...metadata }))).toBe(false);
  });
});

describe('the conditions of others', () => {
  it('are those that the reconciler does not own, of both lists', () => {
    const conditions = [{ type: 'Available' }, { type: 'TopologyReconciled' }];
    const status = { conditions, deprecated: { v1beta1: { conditions: [{ type: 'Ready' }, { type: 'Other' }, 3] } } };
    const found = conditionsOfOthers({ ...anObject([]), status }, reporter);
    expect(found).toEqual([[{ type: 'TopologyReconciled' }], [{ type: 'Other' }, 3]]);
  });

  it('may be no lists', () => {
    expect(conditionsOfOthers({ ...anObject([]), status: { conditions: 'none' } }, reporter)).toEqual([[], []]);
  });
});
