import { describe, expect, it } from 'vitest';
import { type ContractReference, isDefined, readCluster } from '../../../../shared/api/cluster/reader.ts';
import { readClusterClass } from '../../../../shared/api/cluster-class/reader.ts';
import { toRecord } from '../../../../shared/api/fields.ts';
import { readMachine } from '../../../../shared/api/machine/reader.ts';
import { readMachineDeployment } from '../../../../shared/api/machine-deployment/reader.ts';
import { readMachinePool } from '../../../../shared/api/machine-pool/reader.ts';
import { readMachineSet } from '../../../../shared/api/machine-set/reader.ts';
import { aCluster, aMachine, aMachineDeployment, aMachinePool, aMachineSet } from '../../../support/builders.ts';

describe('reading a Cluster', () => {
  it('finds what is there', () => {
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

  it('takes what cannot be read for absent, field by field', () => {
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

  it('fills in what metadata leaves out', () => {
    const { uid, name, resourceVersion } = aCluster().build().metadata;
    const bare = { ...aCluster().build(), metadata: { uid, name, resourceVersion } };
    expect(readCluster(bare).metadata).toEqual({
      uid,
      name,
      resourceVersion,
      namespace: '',
      generation: 0,
      annotations: {},
      finalizers: [],
    });
  });

  it.each([
    { topology: undefined, isDefined: false, reason: 'absent' },
    { topology: null, isDefined: false, reason: 'null' },
    { topology: {}, isDefined: false, reason: 'nothing below it' },
    { topology: { classRef: { name: '' }, variables: [] }, isDefined: false, reason: 'only empty fields' },
    { topology: { variables: [{}] }, isDefined: true, reason: 'a list that holds something' },
    { topology: { controlPlane: { replicas: 0 } }, isDefined: true, reason: 'zero is a value' },
    { topology: { classRef: { name: 'cls' } }, isDefined: true, reason: 'a name' },
  ])('knows whether the topology is defined: $reason', ({ topology, isDefined }) => {
    expect(readCluster(aCluster().withSpec({ topology }).build()).spec.topology.isDefined).toBe(isDefined);
  });

  it.each(['apiGroup', 'kind', 'name'])('takes a reference for defined by its %s alone', field => {
    const empty: ContractReference = { apiGroup: '', kind: '', name: '' };
    expect(isDefined(empty)).toBe(false);
    expect(isDefined({ ...empty, [field]: 'x' })).toBe(true);
  });
});

describe('reading what is below a Cluster', () => {
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

  it('takes what cannot be read of a Machine for absent', () => {
    const machine = readMachine({ ...aMachine().build(), spec: 7, status: { nodeRef: [], conditions: {} } });
    expect(machine.spec).toEqual({});
    expect(machine.status).toEqual({ nodeRef: { name: '' }, nodeInfo: { kubeletVersion: '' }, conditions: [] });
  });

  it.each([
    { kind: 'MachineDeployment', read: readMachineDeployment, object: aMachineDeployment() },
    { kind: 'MachineSet', read: readMachineSet, object: aMachineSet() },
    { kind: 'MachinePool', read: readMachinePool, object: aMachinePool() },
  ])('reads the counters of a $kind, each on its own', ({ kind, read, object }) => {
    const versions = [{ version: 'v1.35.0', replicas: 2 }, { version: 'v1.36.0' }, { replicas: 1 }];
    const counted = object.withReplicas(3).withStatus({ replicas: 2, readyReplicas: 'many', versions }).build();
    expect(read(counted)).toMatchObject({
      kind,
      spec: { replicas: 3 },
      status: { replicas: 2, versions: [{ version: 'v1.35.0', replicas: 2 }, { version: 'v1.36.0' }] },
    });
    expect(read(counted).status.readyReplicas).toBeUndefined();
  });

  it('reads the gates of a ClusterClass', () => {
    const object = aCluster().withSpec({ availabilityGates: [{ conditionType: 'Foo' }] });
    expect(readClusterClass(object.build()).spec.availabilityGates).toEqual([{ conditionType: 'Foo' }]);
    expect(readClusterClass(aCluster().build()).spec.availabilityGates).toEqual([]);
  });
});

describe('a record', () => {
  it.each([
    { raw: { a: 1 }, record: { a: 1 }, reason: 'an object is one' },
    { raw: [1], record: {}, reason: 'a list is none' },
    { raw: null, record: {}, reason: 'null is none' },
    { raw: 'text', record: {}, reason: 'text is none' },
    { raw: undefined, record: {}, reason: 'nothing is none' },
  ])('$reason', ({ raw, record }) => {
    expect(toRecord(raw)).toEqual(record);
  });
});
