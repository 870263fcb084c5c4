import { describe, expect, it } from 'vitest';
import {
  deletingMachinePatch,
  existingMachine,
  objectMetadata,
} from '../../../../../functions/machineset/phases/propagation/existing-machine.ts';
import { readWholeMachine } from '../../../../../shared/api/machine/whole-machine.ts';
import { aFooMachine, aStoredMachine, metadata, setWith } from './members.ts';

const none = { ...metadata, labels: {}, annotations: {} };

describe('the intent of an existing Machine', () => {
  it('has the metadata and the in-place fields of the template, and keeps what needs another Machine', () => {
    const machine = readWholeMachine(aStoredMachine('m1').build());
    expect(existingMachine(machine, setWith(), metadata)).toEqual({
      apiVersion: 'cluster.x-k8s.io/v1beta2',
      kind: 'Machine',
      metadata: {
        ...{ name: 'm1', namespace: 'ns', uid: 'uid-of-machine-m1', resourceVersion: '7' },
        ...{ labels: metadata.labels, annotations: metadata.annotations },
        finalizers: ['foregroundDeletion', 'machine.cluster.x-k8s.io'],
        ownerReferences: [metadata.owner],
      },
      spec: {
        clusterName: 'c1',
        bootstrap: { configRef: { apiGroup: 'b', kind: 'FooConfig', name: 'm1' } },
        infrastructureRef: { apiGroup: 'infrastructure.cluster.x-k8s.io', kind: 'SimulatedMachine', name: 'm1' },
        version: 'v1.31.0',
        minReadySeconds: 5,
        taints: [{ key: 'k', effect: 'NoSchedule', propagation: 'Always' }],
        deletion: { nodeDrainTimeoutSeconds: 60 },
      },
    });
  });

  it('has the Secret of the template, and the failure domain of the Machine', () => {
    const machine = readWholeMachine(
      aStoredMachine('m1')
        .withSpec({ bootstrap: { dataSecretName: 'mine' }, failureDomain: 'fd1' })
        .build(),
    );
    const { spec } = existingMachine(machine, setWith({ bootstrap: { dataSecretName: '' } }), metadata);
    expect(spec).toMatchObject({ bootstrap: { dataSecretName: '' }, failureDomain: 'fd1' });
  });

  it('keeps a finalizer that is there, and sends no empty maps', () => {
    const machine = readWholeMachine(aStoredMachine('m1').withFinalizers('machine.cluster.x-k8s.io').build());
    const intent = existingMachine(machine, setWith(), none);
    expect(intent.metadata.finalizers).toEqual(['foregroundDeletion', 'machine.cluster.x-k8s.io']);
    expect(Object.keys(intent.metadata)).not.toEqual(expect.arrayContaining(['labels']));
    expect('annotations' in intent.metadata).toBe(false);
  });
});

describe('the intent of an object of a Machine', () => {
  it('is metadata at any version, because its provider writes the object often', () => {
    expect(objectMetadata(aFooMachine('m1').atResourceVersion('9').build(), metadata)).toEqual({
      apiVersion: 'infrastructure.cluster.x-k8s.io/v1',
      kind: 'FooMachine',
      metadata: {
        ...{ name: 'm1', namespace: 'ns', uid: 'uid-of-foomachine-m1' },
        ...{ labels: metadata.labels, annotations: metadata.annotations },
      },
    });
  });

  it('has no namespace if the object has none', () => {
    expect('namespace' in objectMetadata(aFooMachine('m1').clusterScoped().build(), metadata).metadata).toBe(false);
  });
});

describe('the patch of a Machine in deletion', () => {
  const patchOf = (spec: Readonly<Record<string, unknown>>, template: Readonly<Record<string, unknown>> = {}) =>
    deletingMachinePatch(readWholeMachine(aStoredMachine('m1').withSpec(spec).build()), setWith(template));
  const taints = [{ key: 'k', effect: 'NoSchedule', propagation: 'Always' }];
  const deletion = { nodeDrainTimeoutSeconds: 60, nodeDeletionTimeoutSeconds: 10 };

  it.each([
    { spec: {}, is: { minReadySeconds: 5, taints, deletion }, reason: 'all fields' },
    { spec: { minReadySeconds: 5, taints, deletion }, is: undefined, reason: 'nothing changes' },
    {
      spec: { minReadySeconds: 5, taints, deletion: { ...deletion, nodeVolumeDetachTimeoutSeconds: 3 } },
      is: { deletion: { nodeVolumeDetachTimeoutSeconds: null } },
      reason: 'a timeout is removed',
    },
    {
      spec: { minReadySeconds: 5, taints, deletion },
      template: { deletion: { nodeDeletionTimeoutSeconds: 0, nodeDrainTimeoutSeconds: 60 } },
      is: { deletion: { nodeDeletionTimeoutSeconds: 0 } },
      reason: '0 is a value',
    },
    {
      spec: { minReadySeconds: 5, taints, deletion, readinessGates: [{ conditionType: 'A' }] },
      is: { readinessGates: null },
      reason: 'the gates are removed',
    },
  ])('$is ($reason)', ({ spec, template, is }) => {
    expect(patchOf(spec, template)).toEqual(is === undefined ? undefined : { spec: is });
  });
});
