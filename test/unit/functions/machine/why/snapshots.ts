// Machines in different states, with the objects that belong to them.
import type { MachineSnapshot } from '../../../../../functions/machine/why/machine-snapshot.ts';
import type { Referred } from '../../../../../shared/explain/referred.ts';
import { aCapiCluster, aMachine, bootstrapOk, infraOk, now, type TestObject } from '../scenario-objects.ts';

export const found = (object: TestObject): Referred => {
  const built = object.build();
  return { state: 'found', kind: built.kind, name: built.metadata.name, object: built };
};

export function snapshot(machine: TestObject, change: Partial<MachineSnapshot> = {}): MachineSnapshot {
  return {
    machine: machine.build(),
    cluster: aCapiCluster().build(),
    bootstrap: found(bootstrapOk()),
    infrastructure: found(infraOk()),
    ...change,
  };
}

const reconciled = () => aMachine().withStatus({ phase: 'Provisioning' });

export function withCondition(
  type: string,
  reason: string,
  message = '',
  machine: TestObject = reconciled(),
): TestObject {
  const status = ['Paused', 'Deleting', 'Updating'].includes(type) ? 'True' : 'False';
  return machine.withCondition(type, { status, reason, message });
}

export const inDeletion = (reason: string, message = '', machine: TestObject = reconciled()) =>
  withCondition('Deleting', reason, message, machine).deleting(now);

export const running = () =>
  reconciled()
    .withSpec({ providerID: 'foo://1' })
    .withStatus({ nodeRef: { name: 'n1' } });
