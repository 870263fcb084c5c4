// What the phases of a pass change in the status of the MachineSet.
import type { V1Beta1Draft } from '@capi-serverless/cluster-api/conditions';
import {
  applied,
  changesAfter,
  noProgress,
  type Outcomes,
  type PassChange,
  type PassProgress,
  type Phase,
} from '@capi-serverless/reconciler';

interface CreationStatus {
  /** The deprecated condition MachinesCreated, if this pass creates Machines. */
  readonly machinesCreated?: V1Beta1Draft;
  /** The reasons why no Machine is created. */
  readonly preflightMessages?: readonly string[];
}

export interface MachineSetChange extends PassChange, CreationStatus {}

interface MachineSetProgress extends PassProgress, CreationStatus {}

export type MachineSetPhase = Phase<MachineSetChange>;

export function conclude({ steps }: Pick<MachineSetPhase, 'steps'>, outcomes: Outcomes): MachineSetProgress {
  return changesAfter(steps, outcomes).reduce<MachineSetProgress>(applied, noProgress);
}
