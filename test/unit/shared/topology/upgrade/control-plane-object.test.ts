import { describe, expect, it } from 'vitest';
import { readControlPlane } from '../../../../../shared/topology/upgrade/control-plane-object.ts';
import { aControlPlane } from '../../../../support/builders.ts';

const running = (...versions: readonly string[]) => ({
  versions: versions.map(version => ({ version, replicas: 1 })),
});

describe('a control plane object', () => {
  it.each([
    { reason: 'no status at all', version: 'v1.31.0', status: {}, provisioning: true, upgrading: false },
    { reason: 'an empty version', version: 'v1.31.0', status: { version: '' }, provisioning: true, upgrading: false },
    {
      reason: 'its version',
      version: 'v1.31.0',
      status: { version: 'v1.31.0' },
      provisioning: false,
      upgrading: false,
    },
    {
      reason: 'an older one',
      version: 'v1.31.0',
      status: { version: 'v1.30.4' },
      provisioning: false,
      upgrading: true,
    },
    {
      reason: 'a newer one',
      version: 'v1.31.0',
      status: { version: 'v1.32.0' },
      provisioning: false,
      upgrading: false,
    },
    {
      reason: 'another build of the same version',
      version: 'v1.30.0+b',
      status: { version: 'v1.30.0+a' },
      provisioning: false,
      upgrading: true,
    },
    {
      reason: 'the list counts before the single version',
      version: 'v1.31.0',
      status: { version: 'v1.30.0', ...running('v1.31.0') },
      provisioning: false,
      upgrading: false,
    },
    {
      reason: 'the oldest of several is behind',
      version: 'v1.31.0',
      status: { version: 'v1.31.0', ...running('v1.30.0', 'v1.31.0') },
      provisioning: false,
      upgrading: true,
    },
    {
      reason: 'an empty list leaves it to the single version',
      version: 'v1.31.0',
      status: { version: 'v1.30.0', versions: [] },
      provisioning: false,
      upgrading: true,
    },
  ])('that reports $reason', ({ version, status, provisioning, upgrading }) => {
    const object = aControlPlane().withVersion(version).withStatus(status).build();
    expect(readControlPlane(object)).toEqual({
      ok: true,
      value: { version, isProvisioning: provisioning, isUpgrading: upgrading },
    });
  });

  it.each([
    {
      reason: 'a spec without version',
      object: aControlPlane().withSpec({ version: undefined }),
      error: 'failed to get the version from control plane spec: .spec.version is not set',
    },
    {
      reason: 'a version that is not a text',
      object: aControlPlane().withSpec({ version: 1 }),
      error:
        'failed to get the version from control plane spec: failed to get .spec.version from object: .spec.version is a number, expected a string',
    },
    {
      reason: 'a list in the wrong order',
      object: aControlPlane().withStatus(running('v1.31.0', 'v1.30.0')),
      error:
        'failed to check if the control plane is being provisioned: failed to get .status.versions from object: "v1.30.0" stands after a newer version',
    },
    {
      reason: 'a status version that is not a text',
      object: aControlPlane().withStatus({ version: 1 }),
      error:
        'failed to check if the control plane is being provisioned: failed to get .status.version from object: .status.version is a number, expected a string',
    },
    {
      reason: 'a status version that is none',
      object: aControlPlane().withVersion('v1.31.0').withStatus({ version: 'old' }),
      error: 'failed to check if the control plane is upgrading: failed to parse version old',
    },
    {
      reason: 'a spec version that is none',
      object: aControlPlane().withVersion('new').withStatus({ version: 'v1.31.0' }),
      error: 'failed to check if the control plane is upgrading: failed to parse version new',
    },
  ])('cannot be computed with $reason', ({ object, error }) => {
    expect(readControlPlane(object.build())).toEqual({ ok: false, error });
  });
});
