import { expect, test } from 'vitest';
import { compareApiVersions } from '../../../../../packages/apimachinery/names/api-version-order.ts';

test('API versions order as the API server prioritises them', () => {
  const byPriority = [
    ...['v10', 'v2', 'v1', 'v11beta2', 'v10beta3', 'v3beta10', 'v3beta9', 'v3beta1', 'v12alpha1', 'v11alpha2'],
    ...['foo1', 'foo10', 'v99x', 'xv99'],
  ];
  expect(byPriority.toSorted().toSorted((a, b) => compareApiVersions(b, a))).toEqual(byPriority);
  expect(byPriority.toReversed().toSorted((a, b) => compareApiVersions(b, a))).toEqual(byPriority);
});

test('an invalid version has lower priority, on both sides', () => {
  expect(compareApiVersions('v1alpha1', 'foo')).toBeGreaterThan(0);
  expect(compareApiVersions('foo', 'v1alpha1')).toBeLessThan(0);
});

test('a version equals itself', () => {
  expect(compareApiVersions('v1beta1', 'v1beta1')).toBe(0);
  expect(compareApiVersions('foo', 'foo')).toBe(0);
});
