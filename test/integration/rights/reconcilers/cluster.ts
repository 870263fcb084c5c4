// Uses every permission of the Cluster role: a whole lifecycle, kubeconfigs, and the availability gates of a class.
import type { Unstructured } from '@capi-serverless/apimachinery';
import { systemClock } from '@capi-serverless/apimachinery/system-clock';
import { clusterSecretType, toSecretData } from '../../../../shared/api/secret.ts';
import type { Authority } from '../../../../shared/certificates/port.ts';
import { createAuthority } from '../../../../shared/certificates/x509/authority.ts';
import { signKubeconfig } from '../../../../shared/certificates/x509/signer.ts';
import { aCluster, aMachine, aMachinePool, aMachineSet, anInfraCluster } from '../../../support/builders.ts';
import { aPlainClusterClass } from '../../../support/cluster-class.ts';
import { clusterRef } from '../../../support/static-provider.ts';
import type { WorldClient } from '../../../support/world-client.ts';
import { live } from '../live.ts';
import { namespace, type RightsStage } from '../stage.ts';

const dayMs = 86_400_000;

export async function scenario(stage: RightsStage): Promise<void> {
  await Promise.all([liveAndDie(stage), getKubeconfig(stage), renewKubeconfig(stage), readGates(stage)]);
}

/** There is an object of every kind that the deletion of a Cluster deletes. */
async function liveAndDie(stage: RightsStage): Promise<void> {
  const { client } = stage;
  const ref = clusterRef(namespace, 'life');
  await live(stage, ref.name);
  const cluster = await client.read(ref);
  if (cluster === undefined) {
    throw new Error('Cluster life is gone before the test deleted it');
  }
  for (const member of [aMachineSet(), aMachinePool(), aMachine()]) {
    await client.create(member.in(namespace).ofCluster(ref.name).ownedBy(cluster).intent());
  }
  await client.remove(ref);
  await client.until(ref, object => object === undefined);
}

/** The function creates the kubeconfig of a Cluster without a control plane object, as soon as a CA exists. */
async function getKubeconfig({ client }: RightsStage): Promise<void> {
  const name = 'bare';
  await createAuthoritySecret(client, name, await createAuthority(systemClock.now()));
  await client.create(aBareCluster(name).intent());
  await client.until(kubeconfigRef(name), secret => secret !== undefined);
}

/** An old kubeconfig is renewed. */
async function renewKubeconfig({ client }: RightsStage): Promise<void> {
  const name = 'renewed';
  const longAgo = systemClock.now() - 300 * dayMs;
  const authority = await createAuthority(longAgo);
  await createAuthoritySecret(client, name, authority);
  const cluster = await client.create(aBareCluster(name).paused().intent());
  const old = await createOldKubeconfig(client, cluster, { authority, now: longAgo });
  await client.patch(clusterRef(namespace, name), { spec: { paused: null } });
  await client.until(kubeconfigRef(name), secret => dataOf(secret) !== dataOf(old));
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

/** A Cluster with a class reads the availability gates of the class. The class itself is not reconciled here. */
async function readGates({ client }: RightsStage): Promise<void> {
  const name = 'classy';
  const clusterClass = aPlainClusterClass().named(name).in(namespace).paused();
  const availabilityGates = [{ conditionType: 'example.com/Blessed' }];
  await client.create(clusterClass.withSpec({ availabilityGates }).intent());
  const infrastructure = anInfraCluster().named(name).in(namespace);
  const cluster = aCluster().named(name).in(namespace).withInfrastructureRef(infrastructure);
  await client.create(cluster.withTopology({ class: name }).intent());
  const isReported = (object: Unstructured | undefined): boolean =>
    JSON.stringify(object?.status ?? {}).includes('example.com/Blessed');
  await client.until(clusterRef(namespace, name), isReported);
}
