// The input of the status of a MachineSet.
import type { Instant } from '@capi-serverless/apimachinery';
import type { V1Beta1Draft } from '@capi-serverless/cluster-api/conditions';
import type { WholeMachine } from '../../../shared/api/machine/whole-machine.ts';
import type { WholeMachineSet } from '../../../shared/api/machine-set/whole-machine-set.ts';

export interface StatusFacts {
  readonly machineSet: WholeMachineSet;
  /** The Machines of the set, as they were read. `undefined` if they are not known. */
  readonly machines: readonly WholeMachine[] | undefined;
  /** The kinds of the templates that do not exist: first bootstrap, then infrastructure. */
  readonly missingTemplates: readonly string[];
  /** The reasons why this pass creates no Machine. */
  readonly preflightMessages: readonly string[];
  /** The deprecated condition MachinesCreated, if this pass creates Machines. */
  readonly machinesCreated: V1Beta1Draft | undefined;
  readonly now: Instant;
}

/** The facts of a pass that knows the Machines. */
export type KnownFacts = StatusFacts & { readonly machines: readonly WholeMachine[] };

export function isKnown(facts: StatusFacts): facts is KnownFacts {
  return facts.machines !== undefined;
}
