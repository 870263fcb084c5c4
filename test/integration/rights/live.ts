// A Cluster that becomes Provisioned, for the scenarios of several roles.
import { createLife } from '../../support/life.ts';
import { clusterRef } from '../../support/static-provider.ts';
import { phaseOf } from '../../support/world-client.ts';
import { namespace, type RightsStage } from './stage.ts';

/** Creates a Cluster with infrastructure, control plane object and MachineDeployment. */
export async function live({ client }: RightsStage, name: string): Promise<void> {
  await createLife(client, name);
  await client.until(clusterRef(namespace, name), object => phaseOf(object) === 'Provisioned');
}
