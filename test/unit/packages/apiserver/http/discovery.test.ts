import { describe, expect, it } from 'vitest';
import type { Resource } from '../../../../../packages/apiserver/core/kinds.ts';
import { versionsOf } from '../../../../../packages/apiserver/http/discovery.ts';

function aResource(group: string, ...names: readonly string[]): Resource {
  const versions = names.map(name => ({ name, status: false }));
  return { group, versions } as unknown as Resource; // true: versionsOf reads nothing else
}

describe('the versions of a group', () => {
  it('are those of all its resources once, by stability, then number', () => {
    const resources = [
      aResource('a.example', 'v1alpha1', 'v2', 'beta', 'v1beta2'),
      aResource('a.example', 'v10', 'v1', 'v2', 'v1beta10', 'alpha'),
      aResource('b.example', 'v7'),
    ];
    expect(versionsOf(resources, 'a.example')).toEqual([
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
