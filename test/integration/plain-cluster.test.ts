// The requests of one plain Cluster, counted in a new process on a real API server.

import type { Unstructured } from '@capi-serverless/apimachinery';
import { beforeAll, expect, it } from 'vitest';
import { aCluster, aControlPlane, aMachine, aMachineDeployment, anInfraCluster } from '../support/builders.ts';
import { describeReal } from '../support/describe-real.ts';
import { invocationsOf, isEvent, isWrite, type RecordedInvocation } from '../support/facts.ts';
import { type RecordedFact, startLocalRun } from '../support/local-run.ts';
import { settleAndPoke } from '../support/quiet.ts';
import { startControlPlane } from '../support/real-control-plane.ts';
import {
  aProvisionedStaticCluster,
  aStaticallyProvidedCluster,
  clusterRef,
  staticClusterCrd,
} from '../support/static-provider.ts';
import { connectWorldClient, phaseOf } from '../support/world-client.ts';

type Requests = RecordedInvocation['requests'];

describeReal('one plain Cluster whose infrastructure is provisioned already', () => {
  let made: readonly Requests[];
  let poked: readonly Requests[];

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
      await settleAndPoke(run, client, { controller: 'cluster', ref: cluster });
      run.interrupt();
      expect(await run.ended).toBe(0);
      const all = reconcilesOf('plain', run.facts());
      made = all.slice(0, -3);
      poked = all.slice(-3);
    } finally {
      await controlPlane.stop();
    }
  });

  it('is Provisioned after at most 2 writing invocations and 5 writes besides Events', () => {
    const writing = made.filter(requests => requests.some(isWrite));
    const requests = made.flat();
    const writes = requests.filter(isWrite).filter(request => !isEvent(request));
    console.log(
      `one plain Cluster: ${made.length} invocations, ${writing.length} of them writing; ${requests.length} requests, ` +
        `${writes.length} writes besides Events`,
    );
    expect(writing.length).toBeLessThanOrEqual(2);
    expect(writes.length).toBeLessThanOrEqual(5);
  });

  it('is settled then: another reconcile makes no write', () => {
    console.log(`a settled reconcile: ${poked[0]?.length} requests`);
    expect(poked.flat().filter(isWrite)).toEqual([]);
  });
});

describeReal('a Cluster with control plane object, three Machines and a MachineDeployment', () => {
  let settled: readonly Requests[];

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
      await settleAndPoke(run, client, { controller: 'cluster', ref });
      run.interrupt();
      expect(await run.ended).toBe(0);
      settled = reconcilesOf('c1', run.facts())
        .filter(requests => !requests.some(isWrite))
        .slice(-3);
    } finally {
      await controlPlane.stop();
    }
  });

  // The simulated controllers report at any time, so one of the reconciles may write.
  it('settles: a reconcile without writes makes at most 12 reads', () => {
    const most = Math.max(...settled.map(({ length }) => length));
    console.log(`a settled reconcile with workers: ${most} requests`);
    expect(settled.length).toBeGreaterThan(0);
    expect(most).toBeLessThanOrEqual(12);
  });
});

function isTrueOf(object: Unstructured | undefined, type: string): boolean {
  const { conditions = [] } = (object?.status ?? {}) as { conditions?: readonly { type: string; status: string }[] }; // true: these kinds have conditions of this form
  return conditions.some(condition => condition.type === type && condition.status === 'True');
}

/** Returns the requests of each reconcile of one Cluster. */
function reconcilesOf(name: string, facts: readonly RecordedFact[]): readonly Requests[] {
  return invocationsOf('cluster', facts)
    .map(({ requests }) => requests.filter(ofPlainCluster))
    .filter(requests => requests.some(request => request.name === name));
}

/** Markers have their own namespace. */
function ofPlainCluster({ namespace }: { readonly namespace?: string }): boolean {
  return namespace === undefined || namespace === 'default';
}
