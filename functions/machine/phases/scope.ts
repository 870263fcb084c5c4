// The input of the phases in one pass: what observe has read, and what it has planned, because these plans ask.
import type { Instant } from '@capi-serverless/apimachinery';
import type { ObservedMachine } from '../seen.ts';
import type { PlannedMachineExternals } from './externals.ts';
import type { MachinePhase } from './pass-progress.ts';

export interface MachineScope extends ObservedMachine {
  readonly externals: PlannedMachineExternals;
  /** The stages that observe has reached with its reads. `undefined` if the Machine is not being deleted. */
  readonly deletion: MachinePhase | undefined;
  /** What observe has planned for an update in place. */
  readonly update: MachinePhase;
  readonly now: Instant;
}
