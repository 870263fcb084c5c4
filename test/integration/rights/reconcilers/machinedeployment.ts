// Uses every permission of the MachineDeployment role: a MachineSet is created, replaced and deleted.
import { type ObjectRef, toRef, type Unstructured } from '@capi-serverless/apimachinery';
import { revisionAnnotation } from '../../../../shared/machine-collections/keys.ts';
import { aCluster, aMachineDeployment } from '../../../support/builders.ts';
import { fromTemplates, templatesNamed } from '../../../support/topology-workers.ts';
import { anExtension } from '../extension.ts';
import { namespace, type RightsStage } from '../stage.ts';

const name = 'deployment-rights';

export async function scenario(stage: RightsStage): Promise<void> {
  const { client, gates } = stage;
  if (gates.InPlaceUpdates) {
    await anExtension(stage, { name: 'replacer', hook: 'CanUpdateMachineSet', handler: 'can', answer: {} });
  }
  await client.create(aCluster().named(name).in(namespace).intent());
  for (const template of templatesNamed(name)) {
    await client.create(template.in(namespace).intent());
  }
  const deployment = toRef(await client.create(aRightsDeployment().withVersion('v1.35.0').intent()));
  const [first] = await untilSets(stage, deployment, 1);
  await reportReplicas(stage, first, 1);
  await client.until(deployment, object => replicasOf(object) === 1);
  // The extension is asked whether the Machine of the first MachineSet can be updated.
  await client.patch(deployment, { spec: { template: { spec: { version: 'v1.36.0' } } } });
  const sets = await untilSets(stage, deployment, 2);
  await client.patch(deployment, { spec: { replicas: 0 } });
  for (const set of sets) {
    await client.until(set, object => desiredOf(object) === 0);
    await reportReplicas(stage, set, 0);
  }
  // The MachineSet of the first version is empty, and is deleted.
  await client.until(first, object => object === undefined);
  await client.remove(deployment);
  await client.until(deployment, object => object === undefined);
}

function aRightsDeployment() {
  return fromTemplates(aMachineDeployment().named(name).in(namespace).ofCluster(name), name);
}

/** Each change of its MachineSets changes the MachineDeployment. Returns the oldest first. */
async function untilSets(
  { client }: RightsStage,
  deployment: ObjectRef,
  count: number,
): Promise<readonly [ObjectRef, ...ObjectRef[]]> {
  await client.until(deployment, object => object?.metadata.annotations?.[revisionAnnotation] === String(count));
  const listed = await client.kubernetes.list({ apiVersion: deployment.apiVersion, kind: 'MachineSet', namespace });
  const [first, ...others] = (listed.ok ? listed.value : [])
    .filter(({ metadata }) => metadata.ownerReferences?.some(owner => owner.name === name))
    .toSorted((a, b) => revisionOf(a) - revisionOf(b));
  if (first === undefined || others.length !== count - 1) {
    throw new Error(`MachineDeployment ${name} does not have ${count} MachineSets`);
  }
  return [toRef(first), ...others.map(toRef)];
}

function revisionOf({ metadata }: Unstructured): number {
  return Number(metadata.annotations?.[revisionAnnotation]);
}

/** Without a MachineSet controller, the scenario reports what one would. */
async function reportReplicas({ client }: RightsStage, set: ObjectRef, replicas: number): Promise<void> {
  const read = await client.read(set);
  const observedGeneration = read?.metadata.generation ?? 0;
  const status = { replicas, readyReplicas: 0, availableReplicas: 0, upToDateReplicas: 0, observedGeneration };
  await client.patch(set, { status }, 'status');
}

function replicasOf(object: Unstructured | undefined): number | undefined {
  const status = object?.status as { readonly replicas?: number } | undefined; // true: as the CRD defines it
  return status?.replicas;
}

function desiredOf(object: Unstructured | undefined): number | undefined {
  const spec = object?.spec as { readonly replicas?: number } | undefined; // true: as the CRD defines it
  return spec?.replicas;
}
