// What makes the companions of managed topologies need their rights: workers that go, and what goes with them.
import type { Intent, Unstructured } from '../../../shared/api/object.ts';
import { toRef } from '../../../shared/api/object.ts';
import { aCluster } from '../../support/builders.ts';
import { ObjectBuilder } from '../../support/object-builder.ts';
import { anOwnedDeployment, anOwnedSet, owned, templatesNamed } from '../../support/topology-workers.ts';
import { namespace, patienceSeconds, type Stage } from './stage.ts';

/** Nothing uses its templates any more. */
export async function loseMachineDeployment(stage: Stage): Promise<void> {
  const name = 'lost-md';
  await stage.client.create(aCluster().named(name).in(namespace).intent());
  const check = new ObjectBuilder({ apiVersion: 'cluster.x-k8s.io/v1beta2', kind: 'MachineHealthCheck', name });
  const selecting = { clusterName: name, selector: { matchLabels: owned } };
  await lose(stage, {
    templates: name,
    others: [check.in(namespace).labelled(owned).withSpec(selecting).intent()],
    lost: anOwnedDeployment(name).in(namespace).ofCluster(name).intent(),
  });
}

/** Neither its MachineDeployment nor another MachineSet uses its templates. */
export async function loseMachineSet(stage: Stage): Promise<void> {
  const name = 'lost-ms';
  await stage.client.create(aCluster().named(name).in(namespace).intent());
  const deployment = anOwnedDeployment('kept-md').in(namespace).ofCluster(name);
  const created = await stage.client.create(deployment.intent());
  const set = anOwnedSet(name, created, name).in(namespace).ofCluster(name);
  await lose(stage, { templates: name, others: [], lost: set.intent() });
}

interface Loss {
  readonly templates: string;
  readonly others: readonly Intent[];
  readonly lost: Intent;
}

async function lose({ client }: Stage, { templates, others, lost }: Loss): Promise<void> {
  const made = templatesNamed(templates).map(template => template.in(namespace));
  for (const intent of [...made.map(template => template.intent()), ...others]) {
    await client.create(intent);
  }
  const ref = toRef(await client.create(lost));
  await client.until(ref, isHeld, patienceSeconds);
  await client.remove(ref);
  await client.until(ref, object => object === undefined, patienceSeconds);
  for (const template of made) {
    await client.until(toRef(template.build()), object => object === undefined, patienceSeconds);
  }
}

function isHeld(object: Unstructured | undefined): boolean {
  return (object?.metadata.finalizers ?? []).length > 0;
}
