// Many Clusters are created at once, with the production reconciler. All are processed, and no message becomes a dead
// letter.
import { expect, it } from 'vitest';
import { clusterReconciler } from '../../../../functions/cluster/reconciler.ts';
import { served, startTally } from '../../../support/event-path.ts';
import { generated } from '../../../support/extent.ts';
import { fakeSigner, fakeWorkload } from '../../../support/fake-remote.ts';
import {
  aProvisionedStaticCluster,
  aStaticallyProvidedCluster,
  staticClusterCrd,
  staticClusterKind,
} from '../../../support/static-provider.ts';
import { startVirtualSystem, type VirtualSystem } from '../../../support/virtual-system.ts';

const namespace = 'ns';
const count = generated(1_000);

async function createInfrastructure({ api }: VirtualSystem, name: string): Promise<void> {
  const { status, ...object } = aProvisionedStaticCluster(namespace, name);
  await api.others.create(object);
  await api.others.mergePatch({ ...staticClusterKind, namespace, name }, { status }, { subresource: 'status' });
}

/** Creates a first Cluster, so that the forwarder follows the provider's kind. */
async function warmUp(system: VirtualSystem): Promise<void> {
  await system.api.others.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } });
  await system.api.clock.advance(100);
  await createInfrastructure(system, 'warm');
  await system.api.others.create(aStaticallyProvidedCluster(namespace, 'warm'));
  await system.api.clock.advance(10_000);
}

it(`${count} Clusters created at once are all provisioned, with no dead letter and few reconciles`, async () => {
  const names = Array.from({ length: count }, (_, index) => `c${index}`);
  const system = startVirtualSystem({
    reconcilers: [served(clusterReconciler, { workload: fakeWorkload(), signer: fakeSigner() })],
    crds: [staticClusterCrd],
    requestMs: 2,
    requestSlots: 2,
    sendMs: 5,
  });
  await warmUp(system);
  for (const name of names) {
    await createInfrastructure(system, name);
  }
  await system.api.clock.advance(20_000);
  const tally = startTally();
  const startedAt = system.api.clock.now();
  for (const name of names) {
    await system.api.others.create(aStaticallyProvidedCluster(namespace, name));
  }
  await system.drain(600_000);
  tally.stop();
  const seconds = (system.api.clock.now() - startedAt) / 1_000;
  await system.stop();

  const writing = tally.reconciles.filter(({ writes }) => writes > 0);
  const perCluster = tally.reconciles.length / count;
  console.log(
    `${count} Clusters at once: ${perCluster.toFixed(2)} reconciles and ${(tally.requests.length / count).toFixed(1)} requests per Cluster, drained in ${seconds.toFixed(0)} s of virtual time`,
  );
  expect(system.deadLetters()).toBe(0);
  expect(tally.reconciles.filter(({ result }) => result.endsWith('error'))).toEqual([]);
  expect(new Set(writing.map(({ name }) => name))).toEqual(new Set(names));
  const phases = names.map(name => {
    const cluster = system.api.read({ apiVersion: 'cluster.x-k8s.io/v1beta2', kind: 'Cluster', namespace, name });
    return (cluster.status as { readonly phase?: string }).phase; // true: every Cluster has a status after the wait
  });
  expect(new Set(phases)).toEqual(new Set(['Provisioned']));
  expect(perCluster).toBeLessThanOrEqual(5);
});
