// Uses every permission of the MachineSet role: Machines are created, one of them under a reserved name, remediated, and
// deleted. An orphaned object of each provider is deleted.

import { type Intent, type ObjectRef, toRef, type Unstructured } from '@capi-serverless/apimachinery';
import { systemClock } from '@capi-serverless/apimachinery/system-clock';
import { aCluster, aMachineDeployment, aMachineSet } from '../../../support/builders.ts';
import { installDefinitions } from '../../../support/install-definitions.ts';
import {
  staticControlPlaneCrd,
  staticControlPlaneKind,
  staticTemplateCrds,
  staticTemplateKinds,
} from '../../../support/static-provider.ts';
import { namespace, type RightsStage } from '../stage.ts';

const name = 'set-rights';
const metadata = { namespace, name };
const reserved = 'capi-serverless.dev/reserved-machines';
const labels = { 'cluster.x-k8s.io/cluster-name': name, of: name };

export async function scenario(stage: RightsStage): Promise<void> {
  const { client } = stage;
  const definitions = [...staticTemplateCrds, staticControlPlaneCrd] as unknown as Parameters<
    typeof installDefinitions
  >[1]; // true: they are definitions
  await installDefinitions(client.kubernetes, definitions);
  await createCluster(stage);
  const orphans = await createOrphans(stage);
  const set = await createSet(stage);
  for (const orphan of orphans) {
    await client.patch(toRef(orphan), { metadata: { ownerReferences: [ownerOf(set)] } });
  }
  // A reservation without missing Machines would be released.
  const annotations = { [reserved]: `${name}-m` };
  await client.patch(toRef(set), { metadata: { annotations }, spec: { replicas: 1 } });
  for (const orphan of orphans) {
    await client.until(toRef(orphan), object => object === undefined);
  }
  const machine: ObjectRef = { apiVersion: 'cluster.x-k8s.io/v1beta2', kind: 'Machine', namespace, name: `${name}-m` };
  await client.until(machine, object => object !== undefined);
  await remediate(stage, machine);
  await client.remove(toRef(set));
  await client.until(toRef(set), object => object === undefined);
}

function ownerOf({ apiVersion, kind, metadata: of }: Unstructured) {
  return { apiVersion, kind, name: of.name, uid: of.uid };
}

/** The version of its control plane allows the Machines. */
async function createCluster({ client }: RightsStage): Promise<void> {
  await client.create({
    ...staticControlPlaneKind,
    metadata,
    spec: { version: 'v1.35.0' },
    status: { version: 'v1.35.0' },
  });
  const controlPlaneRef = { apiGroup: 'controlplane.cluster.x-k8s.io', kind: staticControlPlaneKind.kind, name };
  await client.create(aCluster().named(name).in(namespace).withSpec({ controlPlaneRef }).intent());
  for (const kind of staticTemplateKinds) {
    await client.create({ ...kind, kind: `${kind.kind}Template`, metadata, spec: { template: { spec: {} } } });
  }
}

/** Objects that are older than the MachineSet. The API server stores whole seconds. */
async function createOrphans({ client }: RightsStage): Promise<readonly Unstructured[]> {
  const orphans: Unstructured[] = [];
  for (const kind of staticTemplateKinds) {
    orphans.push(await client.create({ ...kind, metadata: { namespace, name: `${name}-orphan`, labels } }));
  }
  await systemClock.sleep(1100);
  return orphans;
}

/** It belongs to a MachineDeployment. */
async function createSet({ client }: RightsStage): Promise<Unstructured> {
  const [infrastructure, bootstrap] = staticTemplateKinds.map(({ apiVersion, kind }) => ({
    apiGroup: apiVersion.replace(/\/.*/, ''),
    kind: `${kind}Template`,
    name,
  }));
  const template = {
    metadata: { labels },
    spec: {
      clusterName: name,
      version: 'v1.35.0',
      infrastructureRef: infrastructure,
      bootstrap: { configRef: bootstrap },
    },
  };
  const paused = { 'cluster.x-k8s.io/paused': '' };
  const deployment = aMachineDeployment().named(name).in(namespace).ofCluster(name).annotated(paused);
  await client.create(deployment.intent());
  const set: Intent = aMachineSet()
    .named(name)
    .in(namespace)
    .ofCluster(name)
    .labelled({ 'cluster.x-k8s.io/deployment-name': name })
    .withSpec({ replicas: 0, selector: { matchLabels: labels }, template })
    .intent();
  return client.create(set);
}

async function remediate({ client }: RightsStage, machine: ObjectRef): Promise<void> {
  const conditions = ['HealthCheckSucceeded', 'OwnerRemediated'].map(type => ({
    type,
    status: 'False',
    reason: 'Test',
    message: '',
    lastTransitionTime: '2026-01-01T00:00:00Z',
  }));
  const { metadata: of } = (await client.until(machine, object => object !== undefined)) as Unstructured; // true: it exists
  await client.patch(machine, { status: { conditions } }, 'status');
  await client.until(machine, object => object?.metadata.uid !== of.uid);
}
