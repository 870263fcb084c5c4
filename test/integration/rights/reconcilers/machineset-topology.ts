// Uses every permission of the role of the MachineSet cleanup.
import { aCluster } from '../../../support/builders.ts';
import { anOwnedDeployment, anOwnedSet } from '../../../support/topology-workers.ts';
import { namespace, type RightsStage } from '../stage.ts';
import { lose } from '../workers.ts';

/** Neither its MachineDeployment nor another MachineSet uses its templates. */
export async function scenario(stage: RightsStage): Promise<void> {
  const name = 'lost-ms';
  await stage.client.create(aCluster().named(name).in(namespace).intent());
  const deployment = anOwnedDeployment('kept-md').in(namespace).ofCluster(name);
  const created = await stage.client.create(deployment.intent());
  const set = anOwnedSet(name, created, name).in(namespace).ofCluster(name);
  await lose(stage, { templates: name, others: [], lost: set.intent() });
}
