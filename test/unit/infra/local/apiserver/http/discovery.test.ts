import { describe, expect, it } from 'vitest';
import { compareVersions } from '../../../../../../infra/local/apiserver/http/discovery.ts';

describe('the versions of a group', () => {
  it('are ordered by stability, then number', () => {
    const versions = ['v1alpha1', 'v2', 'beta', 'v1beta2', 'v10', 'v1', 'v1beta10', 'alpha'];
    expect(versions.sort(compareVersions)).toEqual([
      'v10',
      'v2',
      'v1',
      'v1beta10',
      'v1beta2',
      'v1alpha1',
      'alpha',
      'beta',
    ]);
  });
});
