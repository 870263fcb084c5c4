// MachineSet `ns/ms1` with a template, and Machines with managed fields.

import type { Intent, Unstructured } from '@capi-serverless/apimachinery';
import type { MemberMetadata } from '../../../../../functions/machineset/phases/propagation/existing-machine.ts';
import type { MachineMember, ObjectRead } from '../../../../../functions/machineset/seen.ts';
import { readWholeMachine } from '../../../../../shared/api/machine/whole-machine.ts';
import { readWholeMachineSet } from '../../../../../shared/api/machine-set/whole-machine-set.ts';
import { aMachine, aMachineSet, type MachineBuilder } from '../../../../support/builders.ts';
import { fieldsOf, ObjectBuilder } from '../../../../support/object-builder.ts';

const template = {
  clusterName: 'c1',
  bootstrap: { configRef: { apiGroup: 'b', kind: 'FooConfigTemplate', name: 'bt1' } },
  infrastructureRef: { apiGroup: 'i', kind: 'FooMachineTemplate', name: 'it1' },
  version: 'v1.32.0',
  failureDomain: 'fd2',
  minReadySeconds: 5,
  taints: [{ key: 'k', effect: 'NoSchedule', propagation: 'Always' }],
  deletion: { nodeDrainTimeoutSeconds: 60 },
};

export function setWith(more: Readonly<Record<string, unknown>> = {}) {
  return readWholeMachineSet(
    aMachineSet()
      .withSpec({ template: { spec: { ...template, ...more } } })
      .build(),
  );
}

export const metadata: MemberMetadata = {
  labels: { 'cluster.x-k8s.io/set-name': 'ms1' },
  annotations: { note: 'x' },
  owner: {
    ...{ apiVersion: 'cluster.x-k8s.io/v1beta2', kind: 'MachineSet', name: 'ms1', uid: 'u-ms' },
    ...{ controller: true, blockOwnerDeletion: true },
  },
};

const otherEntry = { manager: 'other', operation: 'Update', apiVersion: 'x/v1', fieldsV1: { 'f:metadata': {} } };

export function withFields(object: Unstructured, ...managedFields: readonly object[]): Unstructured {
  return { ...object, metadata: { ...object.metadata, managedFields } as Unstructured['metadata'] }; // true: managedFields is a field of metadata
}

/** An object that another manager wrote. */
export function foreign(object: Unstructured): Unstructured {
  return withFields(object, otherEntry);
}

/** The object after this intent was applied. */
export function settled(object: Unstructured, intent: Intent, manager: string): Unstructured {
  const { labels, annotations, finalizers, ownerReferences } = intent.metadata;
  const parts = Object.entries({ labels, annotations, finalizers, ownerReferences });
  const given = Object.fromEntries(parts.filter(([, value]) => value !== undefined));
  const live = {
    ...object,
    metadata: { ...object.metadata, ...given },
    ...(intent['spec'] === undefined ? {} : { spec: { ...fieldsOf(object.spec), ...fieldsOf(intent['spec']) } }),
  };
  const fieldsV1 = {
    'f:metadata': toFields(given),
    ...(intent['spec'] === undefined ? {} : { 'f:spec': toFields(fieldsOf(intent['spec'])) }),
  };
  return withFields(live, otherEntry, { manager, operation: 'Apply', apiVersion: object.apiVersion, fieldsV1 });
}

function toFields(value: Readonly<Record<string, unknown>>): object {
  return Object.fromEntries(Object.entries(value).map(([name, field]) => [`f:${name}`, toField(name, field)]));
}

function toField(name: string, field: unknown): object {
  if (name === 'finalizers' && Array.isArray(field)) {
    return Object.fromEntries(field.map(item => [`v:${JSON.stringify(item)}`, {}]));
  }
  if (name === 'ownerReferences' && Array.isArray(field)) {
    return Object.fromEntries(field.map(item => [`k:${JSON.stringify({ uid: fieldsOf(item)['uid'] })}`, {}]));
  }
  if (name === 'taints' && Array.isArray(field)) {
    return Object.fromEntries(
      field.map(item => {
        const taint = fieldsOf(item);
        const key = `k:${JSON.stringify({ effect: taint['effect'], key: taint['key'] })}`;
        return [key, { '.': {}, ...toFields(taint) }];
      }),
    );
  }
  const isNested = ['labels', 'annotations', 'deletion', 'bootstrap'].includes(name);
  return isNested ? toFields(fieldsOf(field)) : {};
}

export function aFooMachine(name: string): ObjectBuilder {
  return new ObjectBuilder({ apiVersion: 'infrastructure.cluster.x-k8s.io/v1', kind: 'FooMachine', name });
}

export function aFooConfig(name: string): ObjectBuilder {
  return new ObjectBuilder({ apiVersion: 'bootstrap.cluster.x-k8s.io/v1', kind: 'FooConfig', name });
}

export function aStoredMachine(name: string): MachineBuilder {
  return aMachine()
    .named(name)
    .atResourceVersion('7')
    .withVersion('v1.31.0')
    .withFinalizers('foregroundDeletion')
    .withSpec({ bootstrap: { configRef: { apiGroup: 'b', kind: 'FooConfig', name }, dataSecretName: 'secret' } });
}

export function found(object: Unstructured): ObjectRead {
  return { state: 'found', object };
}

export function memberOf(machine: Unstructured, objects: Partial<MachineMember> = {}): MachineMember {
  const { name } = machine.metadata;
  return {
    machine: readWholeMachine(machine),
    infrastructure: found(foreign(aFooMachine(name).build())),
    bootstrap: found(foreign(aFooConfig(name).build())),
    ...objects,
  };
}
