// Uses every permission of the role of the MachineDeployment cleanup.
import { aCluster } from '../../../support/builders.ts';
import { ObjectBuilder } from '../../../support/object-builder.ts';
import { anOwnedDeployment, owned } from '../../../support/topology-workers.ts';
import { namespace, type RightsStage } from '../stage.ts';
import { lose } from '../workers.ts';

/** No other object uses its templates. A paused MachineDeployment makes no MachineSet, which would use them until it is gone. */
export async function scenario(stage: RightsStage): Promise<void> {
  const name = 'lost-md';
  await stage.client.create(aCluster().named(name).in(namespace).intent());
  const check = new ObjectBuilder({ apiVersion: 'cluster.x-k8s.io/v1beta2', kind: 'MachineHealthCheck', name });
  const selecting = { clusterName: name, selector: { matchLabels: owned } };
  await lose(stage, {
    templates: name,
    others: [check.in(namespace).labelled(owned).withSpec(selecting).intent()],
    lost: anOwnedDeployment(name).withSpec({ paused: true }).in(namespace).ofCluster(name).intent(),
  });
}
