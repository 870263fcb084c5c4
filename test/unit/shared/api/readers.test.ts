import { toRecord } from '@capi-serverless/apimachinery';
import { describe, expect, it } from 'vitest';
import {
  type ContractReference,
  isDefined,
  readCluster,
  readClusterReferences,
} from '../../../../shared/api/cluster/reader.ts';
import { discovererOf } from '../../../../shared/api/cluster-class/class-spec.ts';
import { readClusterClass } from '../../../../shared/api/cluster-class/reader.ts';
import { readExtensionConfig } from '../../../../shared/api/extension-config/reader.ts';
import { readMachine } from '../../../../shared/api/machine/reader.ts';
import { readMachineDeployment } from '../../../../shared/api/machine-deployment/reader.ts';
import { readMachinePool } from '../../../../shared/api/machine-pool/reader.ts';
import { readMachineSet } from '../../../../shared/api/machine-set/reader.ts';
import { aCluster, aMachine, aMachineDeployment, aMachinePool, aMachineSet } from '../../../support/builders.ts';
import { anExtensionConfig } from '../../../support/extension-config.ts';

describe('reading a Cluster', () => {
  it('returns the same references with and without the other fields', () => {
    const object = aCluster()
      .withInfrastructureRef({ apiGroup: 'g', kind: 'K', name: 'n' })
      .withTopology({ class: 'c' });
    expect(readCluster(object.build()).spec).toMatchObject(readClusterReferences(object.build()));
    expect(readClusterReferences(object.build()).infrastructureRef.kind).toBe('K');
    expect(readClusterReferences({ spec: 'none' }).topology.isDefined).toBe(false);
  });

  it('returns the fields that are present', () => {
    const cluster = readCluster(
      aCluster()
        .withInfrastructureRef({ apiGroup: 'g', kind: 'K', name: 'n' })
        .withEndpoint('h', 1)
        .withTopology({ class: 'cls' })
        .paused()
        .withSpec({ availabilityGates: [{ conditionType: 'A', polarity: 'Negative' }] })
        .inPhase('Provisioned')
        .infrastructureProvisioned()
        .withCondition('Ready')
        .withV1Beta1Condition('Ready', { status: 'True' })
        .build(),
    );
    expect(cluster.spec).toEqual({
      paused: true,
      controlPlaneEndpoint: { host: 'h', port: 1 },
      controlPlaneRef: { apiGroup: '', kind: '', name: '' },
      infrastructureRef: { apiGroup: 'g', kind: 'K', name: 'n' },
      topology: { isDefined: true, classRef: { name: 'cls', namespace: '' } },
      availabilityGates: [{ conditionType: 'A', polarity: 'Negative' }],
    });
    expect(cluster.status.phase).toBe('Provisioned');
    expect(cluster.status.initialization).toEqual({ infrastructureProvisioned: true, controlPlaneInitialized: false });
    expect(cluster.status.conditions).toHaveLength(1);
    expect(cluster.status.deprecated.v1beta1.conditions).toHaveLength(1);
  });

  it('treats each unreadable field as absent', () => {
    const cluster = readCluster({
      ...aCluster().build(),
      spec: { paused: 'yes', controlPlaneEndpoint: { host: 'h', port: 'https' }, availabilityGates: [{}, 7] },
      status: { phase: 3, conditions: [{ type: 'Ready' }], initialization: 'done' },
    });
    expect(cluster.spec).toMatchObject({
      paused: false,
      controlPlaneEndpoint: { host: 'h', port: 0 },
      availabilityGates: [],
      topology: { isDefined: false },
    });
    expect(cluster.status).toMatchObject({ phase: '', conditions: [] });
  });

  it('sets defaults for absent metadata', () => {
    const { uid, name, resourceVersion } = aCluster().build().metadata;
    const bare = { ...aCluster().build(), metadata: { uid, name, resourceVersion } };
    expect(readCluster(bare).metadata).toEqual({
      uid,
      name,
      resourceVersion,
      namespace: '',
      generation: 0,
      labels: {},
      annotations: {},
      finalizers: [],
    });
  });

  it.each([
    { topology: undefined, isDefined: false, reason: 'absent' },
    { topology: null, isDefined: false, reason: 'null' },
    { topology: {}, isDefined: false, reason: 'no fields' },
    { topology: { classRef: { name: '' }, variables: [] }, isDefined: false, reason: 'only empty fields' },
    { topology: { variables: [{}] }, isDefined: true, reason: 'a list with an item' },
    { topology: { controlPlane: { replicas: 0 } }, isDefined: true, reason: 'zero is a value' },
    { topology: { classRef: { name: 'cls' } }, isDefined: true, reason: 'a name' },
  ])('detects whether the topology is defined: $reason', ({ topology, isDefined }) => {
    expect(readCluster(aCluster().withSpec({ topology }).build()).spec.topology.isDefined).toBe(isDefined);
  });

  it.each(['apiGroup', 'kind', 'name'])('treats a reference as defined if only its %s is set', field => {
    const empty: ContractReference = { apiGroup: '', kind: '', name: '' };
    expect(isDefined(empty)).toBe(false);
    expect(isDefined({ ...empty, [field]: 'x' })).toBe(true);
  });
});

describe('reading the objects of a Cluster', () => {
  it('reads a Machine', () => {
    const machine = readMachine(
      aMachine()
        .withVersion('v1.35.0')
        .withNode('n1')
        .withStatus({ nodeInfo: { kubeletVersion: 'v1.34.0' } })
        .withCondition('Ready')
        .build(),
    );
    expect(machine).toMatchObject({
      kind: 'Machine',
      metadata: { name: 'm1' },
      spec: { version: 'v1.35.0' },
      status: { nodeRef: { name: 'n1' }, nodeInfo: { kubeletVersion: 'v1.34.0' } },
    });
    expect(machine.status.conditions).toMatchObject([{ type: 'Ready', status: 'True' }]);
  });

  it('treats unreadable fields of a Machine as absent', () => {
    const machine = readMachine({ ...aMachine().build(), spec: 7, status: { nodeRef: [], conditions: {} } });
    expect(machine.spec).toEqual({});
    expect(machine.status).toEqual({ nodeRef: { name: '' }, nodeInfo: { kubeletVersion: '' }, conditions: [] });
  });

  it.each([
    { kind: 'MachineDeployment', read: readMachineDeployment, object: aMachineDeployment() },
    { kind: 'MachineSet', read: readMachineSet, object: aMachineSet() },
    { kind: 'MachinePool', read: readMachinePool, object: aMachinePool() },
  ])('reads each counter of a $kind independently', ({ kind, read, object }) => {
    const versions = [{ version: 'v1.35.0', replicas: 2 }, { version: 'v1.36.0' }, { replicas: 1 }];
    const counted = object.withReplicas(3).withStatus({ replicas: 2, readyReplicas: 'many', versions }).build();
    expect(read(counted)).toMatchObject({
      kind,
      spec: { replicas: 3 },
      status: { replicas: 2, versions: [{ version: 'v1.35.0', replicas: 2 }, { version: 'v1.36.0' }] },
    });
    expect(read(counted).status.readyReplicas).toBeUndefined();
  });
});

describe('reading a ClusterClass', () => {
  const none = { apiVersion: '', kind: '', name: '' };
  const ref = { apiVersion: 'g/v1', kind: 'FooTemplate', name: 'foo' };
  const worker = { class: 'w', bootstrap: { templateRef: ref }, infrastructure: { templateRef: ref } };

  it('returns the fields that are present', () => {
    const external = { discoverVariablesExtension: 'h.ext', settings: { a: 'b' } };
    const object = aCluster()
      .annotated({ a: 'b' })
      .withSpec({
        availabilityGates: [{ conditionType: 'Foo' }],
        infrastructure: { templateRef: ref },
        controlPlane: { templateRef: ref, machineInfrastructure: { templateRef: ref } },
        workers: { machineDeployments: [worker], machinePools: [worker] },
        variables: [{ name: 'v' }],
        patches: [{ name: 'p', external }],
      })
      .withStatus({ observedGeneration: 1 })
      .withCondition('VariablesReady')
      .withV1Beta1Condition('VariablesReconciled')
      .build();
    const { spec, status, metadata } = readClusterClass(object);
    expect(metadata).toMatchObject({ namespace: 'ns', generation: 1, annotations: { a: 'b' } });
    expect(spec).toMatchObject({
      availabilityGates: [{ conditionType: 'Foo' }],
      infrastructure: { templateRef: ref },
      controlPlane: { templateRef: ref, machineInfrastructure: { templateRef: ref } },
      workers: { machineDeployments: [worker], machinePools: [worker] },
      variables: [{ name: 'v' }],
      patches: [{ name: 'p', external }],
    });
    expect(status).toMatchObject({
      observedGeneration: 1,
      conditions: [{ type: 'VariablesReady' }],
      deprecated: { v1beta1: { conditions: [{ type: 'VariablesReconciled' }] } },
    });
  });

  it('treats each unreadable field as absent', () => {
    const settings = { a: 'b', c: 7 };
    const object = aCluster().withSpec({
      infrastructure: { templateRef: { ...ref, name: 7 } },
      workers: { machineDeployments: [{ class: 7 }, 7], machinePools: 'many' },
      patches: [{ name: 'p', external: { settings } }, { name: 'q' }],
    });
    const { spec, status } = readClusterClass(object.build());
    expect(spec).toMatchObject({
      availabilityGates: [],
      infrastructure: { templateRef: { ...ref, name: '' } },
      controlPlane: { templateRef: none, machineInfrastructure: { templateRef: none } },
      workers: {
        machineDeployments: [
          { class: '', bootstrap: { templateRef: none }, infrastructure: { templateRef: none } },
          { class: '', bootstrap: { templateRef: none }, infrastructure: { templateRef: none } },
        ],
        machinePools: [],
      },
      patches: [{ name: 'p', external: { discoverVariablesExtension: '', settings: {} } }, { name: 'q' }],
    });
    expect(spec.patches.map(discovererOf)).toEqual(['', '']);
    expect(status).toEqual({ conditions: [], deprecated: { v1beta1: { conditions: [] } } });
  });

  it('keeps apart an absent list of definitions and an empty one', () => {
    const object = aCluster().withSpec({
      patches: [
        { name: 'p', definitions: [] },
        { name: 'q', definitions: 'many' },
      ],
    });
    const { patches } = readClusterClass(object.build()).spec;
    expect(patches.map(({ definitions }) => definitions?.length)).toEqual([0, 0]);
  });

  it('sets defaults for absent metadata', () => {
    const { uid, name, resourceVersion } = aCluster().build().metadata;
    const bare = { ...aCluster().build(), metadata: { uid, name, resourceVersion } };
    expect(readClusterClass(bare).metadata).toEqual({
      uid,
      name,
      resourceVersion,
      namespace: '',
      generation: 0,
      labels: {},
      annotations: {},
      finalizers: [],
    });
  });
});

describe('reading an ExtensionConfig', () => {
  it('returns the fields that are present', () => {
    const requestHook = { apiVersion: 'hooks.runtime.cluster.x-k8s.io/v1alpha1', hook: 'DiscoverVariables' };
    const config = readExtensionConfig(
      anExtensionConfig()
        .withService({ name: 's', namespace: 'n', path: '/p', port: 8443 })
        .withCaBundle('PEM')
        .withSpec({
          namespaceSelector: { matchLabels: { a: 'b' }, matchExpressions: [{ key: 'k', operator: 'Exists' }] },
          settings: { k1: 'v1' },
        })
        .annotated({ x: 'y' })
        .withStatus({ handlers: [{ name: 'h.ext1', requestHook, timeoutSeconds: 5, failurePolicy: 'Ignore' }] })
        .withCondition('Discovered')
        .withV1Beta1Condition('Discovered')
        .build(),
    );
    expect(config.metadata).toMatchObject({ name: 'ext1', generation: 1, annotations: { x: 'y' } });
    expect(config.spec).toEqual({
      clientConfig: {
        service: { name: 's', namespace: 'n', path: '/p', port: 8443 },
        caBundle: Buffer.from('PEM').toString('base64'),
      },
      namespaceSelector: {
        matchLabels: { a: 'b' },
        matchExpressions: [{ key: 'k', operator: 'Exists', values: [] }],
      },
      settings: { k1: 'v1' },
    });
    expect(config.status.handlers).toEqual([
      { name: 'h.ext1', requestHook, timeoutSeconds: 5, failurePolicy: 'Ignore' },
    ]);
    expect(config.status.conditions).toHaveLength(1);
    expect(config.status.deprecated.v1beta1.conditions).toHaveLength(1);
  });

  it('distinguishes a selector that matches everything from an absent one, which matches nothing', () => {
    expect(readExtensionConfig(anExtensionConfig().build()).spec.namespaceSelector).toEqual({
      matchLabels: {},
      matchExpressions: [],
    });
    const without = anExtensionConfig().withSpec({ namespaceSelector: undefined }).build();
    expect(readExtensionConfig(without).spec.namespaceSelector).toBeUndefined();
  });

  it('treats each unreadable field as absent', () => {
    const { metadata } = anExtensionConfig().build();
    const { name, uid, resourceVersion } = metadata;
    const config = readExtensionConfig({
      ...anExtensionConfig().build(),
      metadata: { name, uid, resourceVersion },
      spec: { clientConfig: { service: { name: 's' }, caBundle: 7 }, settings: { k: 1 } },
      status: { handlers: [{ name: 'h.ext1', failurePolicy: 'Maybe' }, {}] },
    });
    expect(config.metadata).toEqual({ name, uid, resourceVersion, generation: 0, annotations: {} });
    expect(config.spec).toEqual({ clientConfig: { caBundle: '' }, settings: {} });
    expect(config.status.handlers).toEqual([
      { name: 'h.ext1', requestHook: { apiVersion: '', hook: '' }, failurePolicy: 'Fail' },
    ]);
  });
});

describe('a record', () => {
  it.each([
    { raw: { a: 1 }, record: { a: 1 }, reason: 'an object is a record' },
    { raw: [1], record: {}, reason: 'a list is not a record' },
    { raw: null, record: {}, reason: 'null is not a record' },
    { raw: 'text', record: {}, reason: 'text is not a record' },
    { raw: undefined, record: {}, reason: 'undefined is not a record' },
  ])('$reason', ({ raw, record }) => {
    expect(toRecord(raw)).toEqual(record);
  });
});
