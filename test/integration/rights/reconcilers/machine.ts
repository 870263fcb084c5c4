// Uses every permission of the Machine role: a Machine with a Node is updated in place, then deleted with a drain.

import { type Intent, type ObjectRef, toRef, type Unstructured } from '@capi-serverless/apimachinery';
import { startApiServer } from '@capi-serverless/apiserver';
import { workloadKinds } from '@capi-serverless/apiserver/workload';
import { failingSinceAnnotation } from '../../../../shared/api/cluster/remote-connection.ts';
import { clusterSecretType, secretText, toSecretData } from '../../../../shared/api/secret.ts';
import { aCluster, aMachine, aMachineDeployment, aMachineSet } from '../../../support/builders.ts';
import { installDefinitions } from '../../../support/install-definitions.ts';
import { staticConfigKind, staticMachineCrds, staticMachineKind } from '../../../support/static-provider.ts';
import { anExtension } from '../extension.ts';
import { namespace, type RightsStage } from '../stage.ts';

const name = 'machine-rights';
const providerID = 'static://machine-rights';
const metadata = { namespace, name };
const updating = { 'in-place-updates.internal.cluster.x-k8s.io/update-in-progress': '' };
const paused = { 'cluster.x-k8s.io/paused': '' };
const pendingHooks = 'runtime.cluster.x-k8s.io/pending-hooks';

export async function scenario(stage: RightsStage): Promise<void> {
  const { client, gates } = stage;
  const kubeconfig = await startWorkloadCluster(stage);
  const definitions = staticMachineCrds as unknown as Parameters<typeof installDefinitions>[1]; // true: they are definitions
  await installDefinitions(client.kubernetes, definitions);
  await createCluster(stage, kubeconfig);
  const machine = await createMachine(stage);
  await client.until(machine, object => nodeOf(object) !== undefined);
  await loseWorkloadCluster(stage, machine);
  if (gates.InPlaceUpdates) {
    await updateInPlace(stage, machine);
  }
  await client.remove(machine);
  await client.until(machine, object => object === undefined);
}

function nodeOf(machine: Unstructured | undefined): string | undefined {
  const status = machine?.status as { readonly nodeRef?: { readonly name?: string } } | undefined; // true: as the CRD defines it
  return status?.nodeRef?.name;
}

/** A workload cluster with one Node and a Pod on it. Returns its kubeconfig. */
async function startWorkloadCluster({ atEnd }: RightsStage): Promise<string> {
  const server = await startApiServer({ port: 0, kinds: workloadKinds });
  atEnd(() => server.stop());
  const { core } = server;
  const create = (object: Intent) =>
    core.create(core.registry.endpointOfKind(object.apiVersion, object.kind), object.metadata.namespace ?? '', object);
  create({ apiVersion: 'v1', kind: 'Node', metadata: { name }, spec: { providerID } });
  const container = { name: 'c', image: 'i' };
  // No kubelet would end an evicted Pod, so the drain skips it. It reads the rules nevertheless.
  const labels = { 'cluster.x-k8s.io/drain': 'skip' };
  create({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { ...metadata, labels },
    spec: { nodeName: name, containers: [container] },
  });
  return server.kubeconfig;
}

/** The control plane object does not exist, so the other control plane Machine is what keeps the control plane. */
async function createCluster({ client }: RightsStage, kubeconfig: string): Promise<void> {
  const controlPlaneRef = { apiGroup: 'controlplane.cluster.x-k8s.io', kind: 'SimulatedControlPlane', name };
  await client.create(aCluster().named(name).in(namespace).withSpec({ controlPlaneRef }).intent());
  await client.create({
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { namespace, name: `${name}-kubeconfig` },
    type: clusterSecretType,
    data: { value: toSecretData(kubeconfig) },
  });
  await client.create(
    aMachine().named(`${name}-other`).in(namespace).ofCluster(name).controlPlane().annotated(paused).intent(),
  );
}

/** The kubeconfig names an address at which nothing answers, until the Machine has noted the outage on its Cluster. */
async function loseWorkloadCluster({ client }: RightsStage, machine: ObjectRef): Promise<void> {
  const cluster = { apiVersion: machine.apiVersion, kind: 'Cluster', namespace, name };
  const secret = { apiVersion: 'v1', kind: 'Secret', namespace, name: `${name}-kubeconfig` };
  const stored = await client.patch(secret, {});
  const closed = secretText(stored, 'value').replace(/https:\/\/[^"\s]+/, 'https://127.0.0.1:1');
  const connected = { type: 'RemoteConnectionProbe', status: 'True', reason: 'ProbeSucceeded', message: '' };
  const conditions = [{ ...connected, lastTransitionTime: '2026-01-01T00:00:00Z' }];
  await client.patch(cluster, { status: { conditions } }, 'status');
  await client.patch(secret, { data: { value: toSecretData(closed) } });
  await client.patch(machine, { metadata: { labels: { lost: 'true' } } });
  await client.until(cluster, object => object?.metadata.annotations?.[failingSinceAnnotation] !== undefined);
  await client.patch(secret, { data: stored['data'] });
}

/** The provider has finished its work on the objects that the Machine names. */
async function createMachine({ client }: RightsStage): Promise<ObjectRef> {
  const initialization = { provisioned: true, dataSecretCreated: true };
  const ready = {
    type: 'Ready',
    status: 'True',
    reason: 'Ready',
    message: '',
    lastTransitionTime: '2026-01-01T00:00:00Z',
  };
  const status = { initialization, dataSecretName: name, conditions: [ready] };
  await client.create({ ...staticMachineKind, metadata, spec: { providerID }, status });
  await client.create({ ...staticConfigKind, metadata, status });
  const deploymentName = { 'cluster.x-k8s.io/deployment-name': name };
  await client.create(aMachineDeployment().named(name).in(namespace).ofCluster(name).annotated(paused).intent());
  const set = await client.create(
    aMachineSet().named(name).in(namespace).ofCluster(name).labelled(deploymentName).annotated(paused).intent(),
  );
  const machine = aMachine()
    .named(name)
    .in(namespace)
    .ofCluster(name)
    .ownedBy(set)
    .withSpec({
      bootstrap: { configRef: { apiGroup: 'bootstrap.cluster.x-k8s.io', kind: staticConfigKind.kind, name } },
      infrastructureRef: { apiGroup: 'infrastructure.cluster.x-k8s.io', kind: staticMachineKind.kind, name },
    });
  return toRef(await client.create(machine.intent()));
}

/** The owner of a Machine marks its objects first. */
async function updateInPlace(stage: RightsStage, machine: ObjectRef): Promise<void> {
  const { client } = stage;
  const handler = { hook: 'UpdateMachine', handler: 'update', answer: { retryAfterSeconds: 0 } };
  await anExtension(stage, { name: 'updater', ...handler });
  for (const kind of [staticMachineKind, staticConfigKind]) {
    await client.patch({ ...kind, ...metadata }, { metadata: { annotations: updating } });
  }
  await client.patch(machine, { metadata: { annotations: { ...updating, [pendingHooks]: 'UpdateMachine' } } });
  await client.until(machine, object => !(pendingHooks in (object?.metadata.annotations ?? {})));
}
