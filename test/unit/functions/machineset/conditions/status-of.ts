// The facts of the status of MachineSet `ns/ms1`, whose status follows from its Machines.
import type { StatusFacts } from '../../../../../functions/machineset/conditions/machine-set-conditions.ts';
import { readWholeMachine, type WholeMachine } from '../../../../../shared/api/machine/whole-machine.ts';
import { readWholeMachineSet } from '../../../../../shared/api/machine-set/whole-machine-set.ts';
import {
  aMachine,
  aMachineSet,
  type MachineBuilder,
  type MachineCollectionBuilder,
} from '../../../../support/builders.ts';
import { testStart } from '../../../../support/object-builder.ts';

/** A Machine that is ready, available and up to date. */
export function aReadyMachine(name: string): MachineBuilder {
  return ['Ready', 'Available', 'UpToDate', 'NodeReady'].reduce(
    (machine, type) => machine.withCondition(type),
    aMachine().named(name).withVersion('v1.31.0').withNode(name).labelled({ pool: 'ms1' }),
  );
}

export function machinesOf(...machines: readonly MachineBuilder[]): readonly WholeMachine[] {
  return machines.map(machine => readWholeMachine(machine.build()));
}

/** Two replicas, and both Machines are ready. */
export const twoReplicas = aMachineSet().withReplicas(2).atGeneration(2);

export function factsOf(
  given: Partial<StatusFacts> = {},
  machineSet: MachineCollectionBuilder = twoReplicas,
): StatusFacts {
  return {
    machineSet: readWholeMachineSet(machineSet.build()),
    machines: machinesOf(aReadyMachine('m1'), aReadyMachine('m2')),
    missingTemplates: [],
    preflightMessages: [],
    machinesCreated: undefined,
    now: testStart,
    ...given,
  };
}
