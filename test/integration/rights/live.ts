// Objects for the scenarios of several roles: a Cluster that becomes Provisioned, and a Machine with references.
import { aCluster, aMachine } from '../../support/builders.ts';
import { createLife } from '../../support/life.ts';
import { clusterRef } from '../../support/static-provider.ts';
import { phaseOf } from '../../support/world-client.ts';
import { namespace, type RightsStage } from './stage.ts';

/** Creates a Cluster with infrastructure, control plane object and MachineDeployment. */
export async function live({ client }: RightsStage, name: string): Promise<void> {
  await createLife(client, name);
  await client.until(clusterRef(namespace, name), object => phaseOf(object) === 'Provisioned');
}

/** Creates a Machine whose bootstrap config and infrastructure do not exist. Event sources read the kinds of both. */
export async function referToKinds({ client }: RightsStage, name: string): Promise<void> {
  await client.create(aCluster().named(`${name}-references`).in(namespace).paused().intent());
  const machine = aMachine()
    .named(`${name}-references`)
    .in(namespace)
    .ofCluster(`${name}-references`)
    .annotated({ 'cluster.x-k8s.io/paused': '' })
    .withSpec({
      bootstrap: { configRef: { apiGroup: 'bootstrap.cluster.x-k8s.io', kind: 'SimulatedBootstrapConfig', name } },
    });
  await client.create(machine.intent());
}
