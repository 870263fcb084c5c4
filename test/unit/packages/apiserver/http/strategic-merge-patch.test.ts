import { describe, expect, it } from 'vitest';
import { toMergePatch } from '../../../../../packages/apiserver/http/strategic-merge-patch.ts';
import { refusalOf } from '../core/core-with-widgets.ts';

describe('a strategic merge patch', () => {
  it.each([
    { reason: 'maps', body: { spec: { unschedulable: true, a: null } } },
    { reason: 'a list that is replaced', body: { spec: { taints: [{ $patch: 'x' }] } } },
    { reason: 'no object', body: 1 },
  ])('with $reason is a merge patch', ({ body }) => {
    expect(toMergePatch(body, ['spec.taints'])).toBe(body);
  });

  it.each([
    { body: { status: { taints: [] } }, what: 'the list status.taints' },
    { body: { metadata: { finalizers: ['a'] } }, what: 'the list metadata.finalizers' },
    { body: [], what: 'the list ' },
    { body: { spec: { $retainKeys: 'a' } }, what: '$retainKeys' },
    { body: { $patch: 'replace' }, what: '$patch' },
  ])('with $what is refused', ({ body, what }) => {
    expect(refusalOf(() => toMergePatch(body, ['spec.taints']))).toMatchObject({
      code: 400,
      message: `a strategic merge patch may not contain ${what}: send a merge patch or a JSON patch`,
    });
  });
});
