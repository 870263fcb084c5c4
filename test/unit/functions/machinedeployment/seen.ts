// What a pass over MachineDeployment ns/md1 of Cluster c1 has read, without an API server.
import { createHash } from 'node:crypto';
import { withDefaults } from '../../../../functions/machinedeployment/phases/defaults.ts';
import type { InPlaceAnswer, ObservedDeployment } from '../../../../functions/machinedeployment/seen.ts';
import { readCluster } from '../../../../shared/api/cluster/reader.ts';
import { readWholeMachine } from '../../../../shared/api/machine/whole-machine.ts';
import { readWholeMachineDeployment } from '../../../../shared/api/machine-deployment/whole-machine-deployment.ts';
import { readWholeMachineSet } from '../../../../shared/api/machine-set/whole-machine-set.ts';
import { testStart } from '../../../support/object-builder.ts';
import { aCluster, aDeployment, type DeploymentTestObject, machineSpec } from './deployment-with-sets.ts';

const pendingAcknowledgeMove = 'in-place-updates.internal.cluster.x-k8s.io/pending-acknowledge-move';

export const digest = (text: string): Uint8Array => createHash('sha256').update(text).digest();

/** One hour after the objects were created. */
export const now = testStart + 3_600_000;

export interface Given {
  readonly spec?: object;
  readonly deployment?: DeploymentTestObject;
  readonly sets: readonly (readonly DeploymentTestObject[])[];
  readonly answers?: Readonly<Record<string, InPlaceAnswer>>;
  readonly updatesInPlace?: boolean;
  /** The names of Machines that another MachineSet handed over. */
  readonly pending?: readonly string[];
  readonly deleting?: boolean;
}

export function seenOf(given: Given): ObservedDeployment {
  const managed = { managedFields: [{ manager: 'capi-machinedeployment', operation: 'Apply' }] };
  const objects = given.sets
    .flat()
    .map(each => each.build())
    .map(object => ({ ...object, metadata: { ...managed, ...object.metadata } }));
  const deployment = given.deployment ?? (given.deleting ? aDeployment().deleting() : aDeployment({ ...given.spec }));
  const sets = objects.filter(({ kind }) => kind === 'MachineSet').map(readWholeMachineSet);
  const machines = objects
    .filter(({ kind }) => kind === 'Machine')
    .map(object => {
      const isPending = given.pending?.includes(object.metadata.name) === true;
      return readWholeMachine(
        isPending
          ? { ...object, metadata: { ...object.metadata, annotations: { [pendingAcknowledgeMove]: '' } } }
          : object,
      );
    });
  return {
    deployment: readWholeMachineDeployment(withDefaults(deployment.build())),
    cluster: readCluster(aCluster.build()),
    infrastructure: { state: 'unread', ref: machineSpec.infrastructureRef },
    bootstrap: { state: 'undefined' },
    sets: {
      state: 'listed',
      owned: sets,
      orphans: [],
      names: new Set(sets.map(({ metadata }) => metadata.name)),
    },
    machines,
    inPlace: new Map(Object.entries(given.answers ?? {})),
    settings: { updatesInPlace: given.updatesInPlace ?? true },
    now,
  };
}
