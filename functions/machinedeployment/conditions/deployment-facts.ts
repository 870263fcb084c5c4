// What the status and the conditions of a MachineDeployment are computed from. The facts are those that the pass has read,
// before its writes.
import type { Instant } from '@capi-serverless/apimachinery';
import type { WholeMachine } from '../../../shared/api/machine/whole-machine.ts';
import type { WholeMachineDeployment } from '../../../shared/api/machine-deployment/whole-machine-deployment.ts';
import type { WholeMachineSet } from '../../../shared/api/machine-set/whole-machine-set.ts';

export interface DeploymentFacts {
  readonly deployment: WholeMachineDeployment;
  /** `undefined`: the pass failed before it knew the MachineSets. */
  readonly sets: readonly WholeMachineSet[] | undefined;
  /** The Machines that the selector matches, also those of other controllers and those in deletion. */
  readonly machines: readonly WholeMachine[];
  /** The kinds of the templates that do not exist: the bootstrap template first. Empty during deletion. */
  readonly missingTemplates: readonly string[];
  readonly now: Instant;
}
