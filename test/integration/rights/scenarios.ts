// What makes each role need all of its rights, by the role's name without prefix. A reconciler that joins the declarations
// needs an entry here; it is tried together with the others, so its objects are named for it.
import type { Unstructured } from '../../../shared/api/object.ts';
import { clusterSecretType, toSecretData } from '../../../shared/api/secret.ts';
import type { Authority } from '../../../shared/certificates/port.ts';
import { createAuthority } from '../../../shared/certificates/x509/authority.ts';
import { signKubeconfig } from '../../../shared/certificates/x509/signer.ts';
import { systemClock } from '../../../shared/telemetry/system-clock.ts';
import { aCluster, aMachine, aMachinePool, aMachineSet, anInfraCluster } from '../../support/builders.ts';
import { aPlainClusterClass } from '../../support/cluster-class.ts';
import { auditToken, type DeployedWorld } from '../../support/deployed-world.ts';
import { createLife } from '../../support/life.ts';
import { clusterRef } from '../../support/static-provider.ts';
import { phaseOf, type WorldClient } from '../../support/world-client.ts';
import { discoverExtension, reconcileClass } from './classes.ts';
import { namespace, patienceSeconds, type Scenario, type Stage } from './stage.ts';
import { reconcileTopologies } from './topologies.ts';
import { loseMachineDeployment, loseMachineSet } from './workers.ts';

const dayMs = 86_400_000;

export const scenarios: Readonly<Record<string, Scenario>> = {
  async cluster(stage) {
    await Promise.all([liveAndDie(stage), getKubeconfig(stage), renewKubeconfig(stage), readGates(stage)]);
  },
  clusterclass: reconcileClass,
  extensionconfig: discoverExtension,
  'machinedeployment-topology': loseMachineDeployment,
  'machineset-topology': loseMachineSet,
  topology: reconcileTopologies,
  resync: ({ world }) => succeed(world, 'resync', aSchedule),
  'audit-webhook': ({ world }) => succeed(world, 'audit-webhook', anAuditPost),
  'watch-forwarder': stage => live(stage, 'watched'),
  async 'windowed-forwarder'(stage) {
    await live(stage, 'windowed');
    await succeed(stage.world, 'windowed-forwarder', aSchedule);
    await stage.client.patch(clusterRef(namespace, 'windowed'), { metadata: { annotations: { changed: 'yes' } } });
    await succeed(stage.world, 'windowed-forwarder', aSchedule);
  },
  // Its ConfigMap is created by the first of these runs, read and patched by the second.
  'windowed-forwarder-state': async () => undefined,
};

/** With infrastructure, control plane object and MachineDeployment. */
async function live({ client }: Stage, name: string): Promise<void> {
  await createLife(client, name);
  await client.until(clusterRef(namespace, name), object => phaseOf(object) === 'Provisioned', patienceSeconds);
}

/** Every kind that a Cluster deletes is there when it goes. */
async function liveAndDie(stage: Stage): Promise<void> {
  const { client } = stage;
  const ref = clusterRef(namespace, 'life');
  await live(stage, ref.name);
  const cluster = await client.read(ref);
  if (cluster === undefined) {
    throw new Error('Cluster life is gone before anybody deleted it');
  }
  for (const member of [aMachineSet(), aMachinePool(), aMachine()]) {
    await client.create(member.in(namespace).ofCluster(ref.name).ownedBy(cluster).intent());
  }
  await client.remove(ref);
  await client.until(ref, object => object === undefined, patienceSeconds);
}

/** A Cluster without control plane object gets its kubeconfig from us once there is an authority. */
async function getKubeconfig({ client }: Stage): Promise<void> {
  const name = 'bare';
  await createAuthoritySecret(client, name, await createAuthority(systemClock.now()));
  await client.create(aBareCluster(name).intent());
  await client.until(kubeconfigRef(name), secret => secret !== undefined, patienceSeconds);
}

/** One that was made long ago is renewed. */
async function renewKubeconfig({ client }: Stage): Promise<void> {
  const name = 'renewed';
  const longAgo = systemClock.now() - 300 * dayMs;
  const authority = await createAuthority(longAgo);
  await createAuthoritySecret(client, name, authority);
  const cluster = await client.create(aBareCluster(name).paused().intent());
  const old = await createOldKubeconfig(client, cluster, { authority, now: longAgo });
  await client.patch(clusterRef(namespace, name), { spec: { paused: null } });
  await client.until(kubeconfigRef(name), secret => dataOf(secret) !== dataOf(old), patienceSeconds);
}

function aBareCluster(name: string) {
  return aCluster().named(name).in(namespace).withEndpoint('127.0.0.1', 9);
}

const kubeconfigRef = (name: string) => ({ apiVersion: 'v1', kind: 'Secret', namespace, name: `${name}-kubeconfig` });

async function createAuthoritySecret(client: WorldClient, name: string, authority: Authority): Promise<void> {
  await client.create({
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { namespace, name: `${name}-ca` },
    type: clusterSecretType,
    data: { 'tls.crt': toSecretData(authority.certificate), 'tls.key': toSecretData(authority.privateKey) },
  });
}

async function createOldKubeconfig(
  client: WorldClient,
  cluster: Unstructured,
  signing: { readonly authority: Authority; readonly now: number },
): Promise<Unstructured> {
  const { apiVersion, kind, metadata } = cluster;
  const { name, uid } = metadata;
  const signed = await signKubeconfig({ clusterName: name, server: 'https://127.0.0.1:9', ...signing });
  if (!signed.ok) {
    throw new Error(signed.error);
  }
  return client.create({
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { namespace, name: `${name}-kubeconfig`, ownerReferences: [{ apiVersion, kind, name, uid }] },
    type: clusterSecretType,
    data: { value: toSecretData(signed.value) },
  });
}

function dataOf(secret: Unstructured | undefined): string {
  return JSON.stringify(secret?.['data']);
}

/** A Cluster with a class asks it for its availability gates. Nobody reconciles the class itself here. */
async function readGates({ client }: Stage): Promise<void> {
  const name = 'classy';
  const clusterClass = aPlainClusterClass().named(name).in(namespace).paused();
  const availabilityGates = [{ conditionType: 'example.com/Blessed' }];
  await client.create(clusterClass.withSpec({ availabilityGates }).intent());
  const infrastructure = anInfraCluster().named(name).in(namespace);
  const cluster = aCluster().named(name).in(namespace).withInfrastructureRef(infrastructure);
  await client.create(cluster.withTopology({ class: name }).intent());
  const isTold = (object: Unstructured | undefined): boolean =>
    JSON.stringify(object?.status ?? {}).includes('example.com/Blessed');
  await client.until(clusterRef(namespace, name), isTold, patienceSeconds);
}

async function succeed(world: DeployedWorld, name: string, event: unknown): Promise<void> {
  const invoked = await world.invoke(name, event);
  if (!invoked.ok) {
    throw new Error(`Function ${name} failed: ${invoked.error.message}`, { cause: invoked.error });
  }
}

/** What functions read of a call by EventBridge Scheduler is nothing. */
const aSchedule = {};

const anAuditPost = {
  version: '2.0',
  headers: { authorization: `Bearer ${auditToken}`, 'content-type': 'application/json' },
  requestContext: { http: { method: 'POST' } },
  body: JSON.stringify({
    kind: 'EventList',
    apiVersion: 'audit.k8s.io/v1',
    items: [],
  }),
  isBase64Encoded: false,
};
