// The common parts of the roles' scenarios: clients and limits.
import type { FeatureGates } from '@capi-serverless/cluster-api/feature-gates';
import type { DeployedWorld } from '../../support/deployed-functions.ts';
import type { WorldClient } from '../../support/world-client.ts';

export interface RightsStage {
  /** A client with administrator rights. */
  readonly client: WorldClient;
  readonly world: DeployedWorld;
  /** The gates of the deployment. */
  readonly gates: FeatureGates;
  /** Called after all functions have stopped. */
  atEnd(close: () => Promise<void>): void;
}

export type RightsScenario = (stage: RightsStage) => Promise<void>;

export const namespace = 'default';
