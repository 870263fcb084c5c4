import { describe, expect, it } from 'vitest';
import type { Unstructured } from '../../../../packages/apimachinery/object.ts';
import { defineControlPlaneProvider } from '../../../../packages/provider-sdk/control-plane-provider.ts';
import type { InfrastructureProviderOptions } from '../../../../packages/provider-sdk/index.ts';
import { defineInfrastructureProvider } from '../../../../packages/provider-sdk/infrastructure.ts';
import type { Declaration, Watch } from '../../../../packages/reconciler/types.ts';
import { aCluster } from '../../../support/scripted-provider.ts';

const options: InfrastructureProviderOptions = {
  group: 'infrastructure.example.com',
  version: 'v1beta2',
  kind: 'ExampleCluster',
  contract: 'v1beta2',
  endpoint: 'provided',
  reconcileNormal: async () => ({ ready: true }),
  reconcileDelete: async () => ({ done: true }),
};
const { declaration } = defineInfrastructureProvider(options);

describe('The declaration of a provider', () => {
  it.each([
    { kind: 'ExampleCluster', name: 'example-cluster' },
    { kind: 'AWSCluster', name: 'aws-cluster' },
    { kind: 'K8sThing', name: 'k8s-thing' },
  ])('is named after $kind: $name', ({ kind, name }) => {
    expect(defineInfrastructureProvider({ ...options, kind }).declaration).toMatchObject({ name, fieldManager: name });
  });

  it('takes name, timeout and further rights from the options', () => {
    const rule = { apiGroups: [''], resources: ['secrets'], verbs: ['get'], why: 'credentials' };
    const changed = defineInfrastructureProvider({
      ...options,
      name: 'ours',
      timeoutSeconds: 90,
      rules: [rule],
    }).declaration;

    expect(changed).toMatchObject({ name: 'ours', timeoutSeconds: 90 });
    expect(changed.rules.at(-1)).toEqual(rule);
  });

  it('owns the fields in the contract and the options', () => {
    expect(declaration.owns).toEqual({
      conditions: ['Paused', 'Ready'],
      v1beta1: [],
      status: ['initialization.provisioned', 'failureDomains'],
    });
    const older = defineInfrastructureProvider({
      ...options,
      contract: 'v1beta1',
      conditions: ['NetworkReady'],
      status: ['network'],
    });
    expect(older.declaration.owns).toEqual({
      conditions: ['Paused', 'Ready', 'NetworkReady'],
      v1beta1: [],
      status: ['ready', 'failureDomains', 'failureReason', 'failureMessage', 'network'],
    });
  });

  it('owns the counters of a control plane', () => {
    const controlPlane = defineControlPlaneProvider({
      ...options,
      reconcileNormal: async () => ({ initialized: true, available: true }),
    });
    expect(controlPlane.declaration.owns).toEqual({
      conditions: ['Paused', 'Ready', 'Available'],
      v1beta1: [],
      status: [
        'initialization.controlPlaneInitialized',
        'version',
        'versions',
        'replicas',
        'readyReplicas',
        'availableReplicas',
        'upToDateReplicas',
      ],
    });
  });

  it('may patch its own kind and its status, and read Clusters', () => {
    expect(declaration.rules.map(({ resources, verbs }) => `${resources} ${verbs}`)).toEqual([
      'exampleclusters get,list,watch,patch',
      'exampleclusters/status patch',
      'clusters get,list,watch',
    ]);
  });

  it('maps a changed object of its kind to itself', () => {
    expect(enqueuedBy(watchOf(declaration, 'ExampleCluster'), { ...aCluster(), kind: 'ExampleCluster' })).toEqual([
      { namespace: 'default', name: 'workload' },
    ]);
  });

  it.each([
    {
      reference: { apiGroup: 'infrastructure.example.com', kind: 'ExampleCluster', name: 'x' },
      enqueued: ['x'],
      reason: 'it references ours',
    },
    {
      reference: { apiGroup: 'infrastructure.example.com', kind: 'OtherCluster', name: 'x' },
      enqueued: [],
      reason: 'another kind',
    },
    {
      reference: { apiGroup: 'other.example.com', kind: 'ExampleCluster', name: 'x' },
      enqueued: [],
      reason: 'another group',
    },
    { reference: { apiGroup: 'infrastructure.example.com', kind: 'ExampleCluster' }, enqueued: [], reason: 'no name' },
    { reference: undefined, enqueued: [], reason: 'no reference' },
  ])('maps a changed Cluster to the object it references: $reason', ({ reference, enqueued }) => {
    const cluster = aCluster({ spec: { infrastructureRef: reference } });

    expect(enqueuedBy(watchOf(declaration, 'Cluster'), cluster)).toEqual(
      enqueued.map(name => ({ namespace: 'default', name })),
    );
  });

  it('uses the control plane reference for control planes', () => {
    const controlPlane = defineControlPlaneProvider({
      ...options,
      reconcileNormal: async () => ({ initialized: true, available: true }),
    });
    const ref = { apiGroup: 'infrastructure.example.com', kind: 'ExampleCluster', name: 'cp' };

    expect(
      enqueuedBy(watchOf(controlPlane.declaration, 'Cluster'), aCluster({ spec: { controlPlaneRef: ref } })),
    ).toEqual([{ namespace: 'default', name: 'cp' }]);
  });

  it('has no namespace for objects that have none', () => {
    const { namespace: _, ...metadata } = aCluster().metadata;

    expect(enqueuedBy(watchOf(declaration, 'ExampleCluster'), { ...aCluster(), metadata })).toEqual([
      { namespace: '', name: 'workload' },
    ]);
  });
});

function watchOf(of: Declaration, kind: string): Watch {
  const watch = of.watches.find(({ source }) => source !== 'referenced' && source.kind === kind);
  if (watch === undefined) {
    throw new Error(`${kind} is not watched`);
  }
  return watch;
}

function enqueuedBy(watch: Watch, object: Unstructured) {
  return watch.map({ type: 'MODIFIED', object });
}
