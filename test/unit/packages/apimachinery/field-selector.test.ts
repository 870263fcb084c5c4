import { describe, expect, it } from 'vitest';
import { matchesFields } from '../../../../packages/apimachinery/field-selector.ts';

const pod = { metadata: { name: 'p' }, spec: { nodeName: 'n1', hostNetwork: true, containers: [], priority: null } };

describe('a field selector', () => {
  it.each<[reason: string, fields: Readonly<Record<string, string>>, matches: boolean]>([
    ['no field selects everything', {}, true],
    ['an equal text', { 'spec.nodeName': 'n1' }, true],
    ['another text', { 'spec.nodeName': 'n2' }, false],
    ['all fields must be equal', { 'spec.nodeName': 'n1', 'metadata.name': 'q' }, false],
    ['an absent field equals the empty text', { 'status.phase': '' }, true],
    ['null equals the empty text', { 'spec.priority': '' }, true],
    ['other values are compared as text', { 'spec.hostNetwork': 'true' }, true],
    ['inherited members are absent', { 'spec.toString': '' }, true],
  ])('%s', (_reason, fields, matches) => {
    expect(matchesFields(pod, fields)).toBe(matches);
  });
});
