import type { Intent, Unstructured } from '@capi-serverless/apimachinery';
import { describe, expect, it } from 'vitest';
import { coreDefinitionOf, decideDefinition } from '../../../../cli/install/decide-definition.ts';
import { formerAnnotation } from '../../../../cli/webhooks/switches.ts';
import { withOlderVersions } from '../../../../infra/kubernetes/versioned-definition.ts';
import { machineCrd } from '../../../../shared/api/machine/crd.ts';

const first = { url: 'https://functions.test/first/convert', caBundle: 'Y2E=' };
const second = { url: 'https://functions.test/second/convert' };

interface Changes {
  readonly annotations?: Readonly<Record<string, string>>;
  readonly storedVersions?: readonly string[];
}

/** A definition in a cluster. */
function stored(crd: Intent, { annotations = {}, storedVersions = ['v1beta2'] }: Changes = {}): Unstructured {
  const metadata = { ...crd.metadata, uid: 'u', resourceVersion: '1', annotations };
  return { ...crd, metadata, status: { storedVersions } };
}

const named = (...versions: readonly string[]): Intent => ({
  ...machineCrd,
  spec: { ...machineCrd.spec, versions: versions.map(name => ({ name, served: true, storage: name === 'v1beta2' })) },
});

describe('a definition that is not installed', () => {
  it('is installed as it is, or with the older versions that a function converts', () => {
    expect(decideDefinition(machineCrd, undefined, undefined)).toEqual({ wanted: machineCrd });
    expect(decideDefinition(machineCrd, undefined, first)).toEqual({ wanted: withOlderVersions(machineCrd, first) });
  });
});

describe('an installed definition', () => {
  it('is applied again', () => {
    expect(decideDefinition(machineCrd, stored(machineCrd), undefined)).toEqual({ wanted: machineCrd });
  });

  it('gets older versions, keeps their address, and gets another one', () => {
    const both = withOlderVersions(machineCrd, first);
    expect(decideDefinition(machineCrd, stored(machineCrd), first)).toEqual({ wanted: both });
    expect(decideDefinition(machineCrd, stored(both), undefined)).toEqual({ wanted: both });
    expect(decideDefinition(machineCrd, stored(both), second)).toEqual({
      wanted: withOlderVersions(machineCrd, second),
    });
  });

  it.each([
    {
      existing: stored(named('v1beta1', 'v1beta2')),
      refused: 'has v1beta1, which would be removed without --conversion-url URL',
      reason: 'nothing converts the older version',
    },
    {
      existing: stored(machineCrd, { storedVersions: ['v1beta1', 'v1beta2'] }),
      refused: 'has v1beta1, which would be removed without --conversion-url URL',
      reason: 'objects are stored in an older version',
    },
    {
      existing: stored(named('v1beta2', 'v1')),
      refused: 'has v1, which would be removed',
      reason: 'a later release installed it',
    },
    {
      existing: stored(named('v1alpha4', 'v1beta1', 'v1beta2')),
      refused: 'has v1alpha4, v1beta1, which would be removed',
      reason: 'one of two versions cannot be converted',
    },
    {
      existing: stored(
        withOlderVersions(machineCrd, { service: { namespace: 'capi-system', name: 'capi-webhook-service' } }),
      ),
      refused: "is converted by Service capi-system/capi-webhook-service of upstream's manager",
      reason: 'upstream installed it',
    },
    {
      existing: stored(withOlderVersions(machineCrd, first), { annotations: { [formerAnnotation]: '{}' } }),
      refused: "was installed with upstream's manager, and taken over from it",
      reason: 'a release of upstream replaces it',
    },
  ])('is refused: $reason', ({ existing, refused }) => {
    expect(decideDefinition(machineCrd, existing, undefined)).toEqual({ refused });
  });

  it('may have stored an older version that a function converts', () => {
    const existing = stored(machineCrd, { storedVersions: ['v1beta1', 'v1beta2'] });
    expect(decideDefinition(machineCrd, existing, first)).toEqual({ wanted: withOlderVersions(machineCrd, first) });
  });
});

it('a manifest of another kind with the name of a definition is none', () => {
  expect(coreDefinitionOf(machineCrd)).toBe(machineCrd);
  expect(coreDefinitionOf({ ...machineCrd, kind: 'ClusterRole' })).toBeUndefined();
  expect(coreDefinitionOf({ ...machineCrd, metadata: { name: 'widgets.example.com' } })).toBeUndefined();
});
