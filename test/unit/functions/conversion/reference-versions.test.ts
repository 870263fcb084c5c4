import { valid } from '@capi-serverless/apimachinery';
import { describe, expect, it } from 'vitest';
import { parseReferenceVersions } from '../../../../functions/conversion/reference-versions.ts';

describe('the version of a kind in references', () => {
  const versionOf = parseReferenceVersions(['infra.example.com=v1beta1', 'AMachine.infra.example.com=v1']);

  it.each([
    { group: 'infra.example.com', kind: 'AMachine', version: 'v1', reason: 'the entry of the kind' },
    { group: 'infra.example.com', kind: 'ACluster', version: 'v1beta1', reason: 'the entry of the group' },
    { group: 'other.example.com', kind: 'AMachine', version: 'v1beta2', reason: 'no entry' },
  ])('is $version: $reason', ({ group, kind, version }) => {
    expect(versionOf(group, kind)).toEqual(valid(`${group}/${version}`));
  });

  it.each(['infra.example.com', 'infra.example.com=1', '=v1', 'A Machine.infra=v1', 'infra=v1=v2'])(
    'cannot be read from %j',
    text => {
      expect(() => parseReferenceVersions([text])).toThrow(
        `CAPI_REFERENCE_VERSIONS: "${text}" is neither <group>=<version> nor <Kind>.<group>=<version>`,
      );
    },
  );
});
