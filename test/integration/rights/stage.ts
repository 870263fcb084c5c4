// What the scenarios of roles work with.
import type { DeployedWorld } from '../../support/deployed-world.ts';
import type { WorldClient } from '../../support/world-client.ts';

export interface Stage {
  /** An administrator. */
  readonly client: WorldClient;
  readonly world: DeployedWorld;
  /** Called when the world has stopped. */
  atEnd(close: () => Promise<void>): void;
}

export type Scenario = (stage: Stage) => Promise<void>;

export const namespace = 'default';
/** Of whole lives, with other scenarios beside them. */
export const patienceSeconds = 60;
