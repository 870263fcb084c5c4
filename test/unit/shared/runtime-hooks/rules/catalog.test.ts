import { describe, expect, it } from 'vitest';
import {
  beforeClusterCreate,
  canUpdateMachine,
  catalog,
  discovery,
  generatePatches,
  isInCatalog,
} from '../../../../../shared/runtime-hooks/rules/catalog.ts';
import { hooksApiVersion, toGroupHook } from '../../../../../shared/runtime-hooks/rules/hook.ts';
import { toPemText } from '../../../../../shared/runtime-hooks/rules/pem.ts';
import { aCluster } from '../../../../support/builders.ts';

describe('the catalogue of hooks', () => {
  it('has every hook of the release, and marks the blocking ones', () => {
    const blocking = catalog.filter(hook => hook.blocking).map(({ name }) => name);
    expect(catalog.map(({ name }) => name).filter(name => !blocking.includes(name))).toEqual([
      'DiscoverVariables',
      'GeneratePatches',
      'ValidateTopology',
      'GenerateUpgradePlan',
      'AfterControlPlaneInitialized',
      'CanUpdateMachine',
      'CanUpdateMachineSet',
    ]);
    expect([discovery.name, discovery.blocking]).toEqual(['Discovery', false]);
    expect(blocking.toSorted()).toEqual([
      'AfterClusterUpgrade',
      'AfterControlPlaneUpgrade',
      'AfterWorkersUpgrade',
      'BeforeClusterCreate',
      'BeforeClusterDelete',
      'BeforeClusterUpgrade',
      'BeforeControlPlaneUpgrade',
      'BeforeWorkersUpgrade',
      'UpdateMachine',
    ]);
  });

  it.each([
    { apiVersion: hooksApiVersion, hook: 'DiscoverVariables', is: true, reason: 'it is there' },
    { apiVersion: hooksApiVersion, hook: 'discovervariables', is: false, reason: 'spelt otherwise' },
    { apiVersion: hooksApiVersion, hook: 'Nope', is: false, reason: 'no such hook' },
    {
      apiVersion: 'hooks.runtime.cluster.x-k8s.io/v9',
      hook: 'DiscoverVariables',
      is: false,
      reason: 'no such version',
    },
    { apiVersion: hooksApiVersion, hook: 'toString', is: false, reason: 'inherited' },
  ])('reports whether $hook of $apiVersion exists: $is ($reason)', ({ apiVersion, hook, is }) => {
    expect(isInCatalog({ apiVersion, hook })).toBe(is);
  });

  it('names a hook with its group', () => {
    expect(toGroupHook(beforeClusterCreate)).toBe('BeforeClusterCreate.hooks.runtime.cluster.x-k8s.io');
  });
});

describe('requests', () => {
  it('contain a Cluster without status, managed fields and annotations that duplicate it', () => {
    const stored = aCluster()
      .annotated({
        'kubectl.kubernetes.io/last-applied-configuration': '{}',
        'cluster.x-k8s.io/conversion-data': '{}',
        kept: 'yes',
      })
      .withStatus({ phase: 'Provisioned' })
      .build();
    const metadata = { ...stored.metadata, managedFields: [{}] };
    const { cluster } = beforeClusterCreate.encode({ cluster: { ...stored, metadata } });
    const { annotations: _, ...plain } = stored.metadata;
    expect(cluster).toEqual({
      apiVersion: stored.apiVersion,
      kind: 'Cluster',
      metadata: { ...plain, annotations: { kept: 'yes' } },
      ...(stored.spec === undefined ? {} : { spec: stored.spec }),
    });
  });

  it('contain no annotations if none remain', () => {
    const { cluster } = beforeClusterCreate.encode({
      cluster: aCluster().annotated({ 'cluster.x-k8s.io/conversion-data': '{}' }).build(),
    });
    expect(Object.keys((cluster as { readonly metadata: object }).metadata)).not.toContain('annotations'); // true: it is an object
  });

  it('are otherwise unchanged', () => {
    const request = { variables: [{ name: 'v', value: [1] }], items: [] };
    expect(generatePatches.encode(request)).toEqual(request);
    const parts = { machine: {}, infrastructureMachine: {}, bootstrapConfig: {} };
    expect(canUpdateMachine.encode({ current: parts, desired: parts })).toEqual({ current: parts, desired: parts });
  });
});

describe('a caBundle', () => {
  it.each([
    { bundle: '', is: { ok: true, value: '' } },
    {
      bundle: btoa('-----BEGIN CERTIFICATE-----\nx'),
      is: { ok: true, value: '-----BEGIN CERTIFICATE-----\nx' },
    },
    { bundle: btoa('text'), is: { ok: false, error: 'spec.clientConfig.caBundle holds no certificate in PEM' } },
    { bundle: '***', is: { ok: false, error: 'spec.clientConfig.caBundle is not base64' } },
  ])('$bundle', ({ bundle, is }) => {
    expect(toPemText(bundle)).toEqual(is);
  });
});
