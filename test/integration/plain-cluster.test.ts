// What one plain Cluster costs, counted in a cold process on a real API server.
import { beforeAll, expect, it } from 'vitest';
import type { Unstructured } from '../../shared/api/object.ts';
import { aCluster, aControlPlane, aMachine, aMachineDeployment, anInfraCluster } from '../support/builders.ts';
import { describeReal } from '../support/describe-real.ts';
import { invocationsOf, isEvent, isWrite, longestChain, type RecordedInvocation } from '../support/facts.ts';
import { startLocalRun } from '../support/local-run.ts';
import { quietAfter } from '../support/quiet.ts';
import { startControlPlane } from '../support/real-control-plane.ts';
import {
  aProvisionedStaticCluster,
  aStaticallyProvidedCluster,
  clusterRef,
  staticClusterCrd,
} from '../support/static-provider.ts';
import { connectWorldClient, phaseOf } from '../support/world-client.ts';

describeReal('one plain Cluster whose infrastructure is provisioned already', () => {
  let made: readonly RecordedInvocation[];
  let poked: readonly RecordedInvocation[];

  beforeAll(async () => {
    const controlPlane = await startControlPlane();
    try {
      const kubeconfig = controlPlane.kubeconfigPath('admin');
      const client = await connectWorldClient(kubeconfig);
      await client.create(staticClusterCrd);
      const run = startLocalRun({ args: ['--kubeconfig', kubeconfig, '--install-crds', '--json'] });
      await run.line(({ event }) => event === 'started');
      const cluster = clusterRef('default', 'plain');
      await client.create(aProvisionedStaticCluster('default', 'plain'));
      await client.create(aStaticallyProvidedCluster('default', 'plain'));
      await client.until(cluster, object => phaseOf(object) === 'Provisioned');
      await quietAfter(run, client, 'made');
      await client.patch(cluster, { metadata: { annotations: { 'example.com/poke': '1' } } });
      await quietAfter(run, client, 'poked');
      run.interrupt();
      expect(await run.ended).toBe(0);
      const all = invocationsOf('cluster', run.facts())
        .map(({ invocation, requests }) => ({ invocation, requests: requests.filter(ofPlainCluster) }))
        .filter(({ requests }) => requests.some(({ name }) => name === 'plain'));
      made = all.slice(0, -1);
      poked = all.slice(-1);
    } finally {
      await controlPlane.stop();
    }
  });

  it('is Provisioned after at most 2 writing invocations and 5 writes besides Events', () => {
    const writing = made.filter(({ requests }) => requests.some(isWrite));
    const requests = made.flatMap(invocation => invocation.requests);
    const writes = requests.filter(isWrite).filter(request => !isEvent(request));
    console.log(
      `one plain Cluster: ${made.length} invocations, ${writing.length} of them writing; ${requests.length} requests, ` +
        `${writes.length} writes besides Events`,
    );
    expect(writing.length).toBeLessThanOrEqual(2);
    expect(writes.length).toBeLessThanOrEqual(5);
  });

  it('is settled then: one more reconcile makes no write and waits for three answers in a row', () => {
    const [last] = poked;
    const requests = last?.requests ?? [];
    console.log(`a settled reconcile: ${requests.length} requests, longest chain ${longestChain(requests)}`);
    expect(requests.filter(isWrite)).toEqual([]);
    expect(longestChain(requests)).toBe(3);
  });
});

describeReal('a Cluster with control plane object, three Machines and a MachineDeployment', () => {
  let poked: readonly RecordedInvocation[];

  beforeAll(async () => {
    const controlPlane = await startControlPlane();
    try {
      const kubeconfig = controlPlane.kubeconfigPath('admin');
      const client = await connectWorldClient(kubeconfig);
      const run = startLocalRun({ args: ['--kubeconfig', kubeconfig, '--install-crds', '--json'] });
      await run.line(({ event }) => event === 'started');
      const cluster = aCluster().in('default').withInfrastructureRef().withControlPlaneRef();
      for (const object of [
        anInfraCluster().withSpec({ provisionSeconds: 0 }),
        aControlPlane().withSpec({ provisionSeconds: 0, replicas: 3 }),
        aMachineDeployment(),
        ...['m1', 'm2', 'm3'].map(name => aMachine().named(name)),
        cluster,
      ]) {
        await client.create(object.in('default').intent());
      }
      const ref = clusterRef('default', 'c1');
      await client.until(ref, object => isTrueOf(object, 'RemoteConnectionProbe'));
      await quietAfter(run, client, 'made');
      await client.patch(ref, { metadata: { annotations: { 'example.com/poke': '1' } } });
      await quietAfter(run, client, 'poked');
      run.interrupt();
      expect(await run.ended).toBe(0);
      poked = invocationsOf('cluster', run.facts())
        .map(({ invocation, requests }) => ({ invocation, requests: requests.filter(ofPlainCluster) }))
        .filter(({ requests }) => requests.some(({ name }) => name === 'c1') && !requests.some(isWrite))
        .slice(-1);
    } finally {
      await controlPlane.stop();
    }
  });

  // The simulated controllers report at any time, so that the last reconcile of a run may be one that writes.
  it('settles: a reconcile that finds nothing to write makes at most 12 reads, three in a row', () => {
    const requests = poked.flatMap(invocation => invocation.requests);
    console.log(`a settled reconcile with workers: ${requests.length} requests, chain ${longestChain(requests)}`);
    expect(requests.length).toBeGreaterThan(0);
    expect(requests.length).toBeLessThanOrEqual(12);
    expect(longestChain(requests)).toBe(3);
  });
});

function isTrueOf(object: Unstructured | undefined, type: string): boolean {
  const { conditions = [] } = (object?.status ?? {}) as { conditions?: readonly { type: string; status: string }[] }; // of our kinds
  return conditions.some(condition => condition.type === type && condition.status === 'True');
}

/** Markers live in a namespace of their own. */
function ofPlainCluster({ namespace }: { readonly namespace?: string }): boolean {
  return namespace === undefined || namespace === 'default';
}
