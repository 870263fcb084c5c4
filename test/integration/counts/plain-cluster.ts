// The requests of a plain Cluster, and of one with workers.
import type { ObjectRef } from '@capi-serverless/apimachinery';
import { describe, expect, it } from 'vitest';
import { aCluster, aControlPlane, aMachine, aMachineDeployment, anInfraCluster } from '../../support/builders.ts';
import { invocationsOf, isEvent, isWrite } from '../../support/facts.ts';
import type { RecordedFact } from '../../support/local-run.ts';
import { settleAndPoke } from '../../support/quiet.ts';
import { aProvisionedStaticCluster, aStaticallyProvidedCluster, clusterRef } from '../../support/static-provider.ts';
import { conditionOf, phaseOf, type WorldClient } from '../../support/world-client.ts';
import { type CountedRequests, type CountedRun, factsOfStage } from './counted-run.ts';

interface CountedCluster {
  readonly made: readonly CountedRequests[];
  readonly poked: readonly CountedRequests[];
}

/** Its infrastructure is provisioned already. */
export async function countPlainCluster(counted: CountedRun): Promise<CountedCluster> {
  const { run, client } = counted;
  const ref = clusterRef('default', 'plain');
  const facts = await factsOfStage(counted, 'plain', async () => {
    await client.create(aProvisionedStaticCluster('default', 'plain'));
    await client.create(aStaticallyProvidedCluster('default', 'plain'));
    await client.until(ref, object => phaseOf(object) === 'Provisioned');
    await settleAndPoke(run, client, { controller: 'cluster', ref });
  });
  await removed(client, ref);
  const all = reconcilesOf('plain', facts);
  return { made: all.slice(0, -3), poked: all.slice(-3) };
}

export function describePlainCluster(counted: () => CountedCluster): void {
  describe('one plain Cluster whose infrastructure is provisioned already', () => {
    it('is Provisioned after at most 2 writing invocations and 5 writes besides Events', () => {
      const { made } = counted();
      const writing = made.filter(requests => requests.some(isWrite));
      const requests = made.flat();
      const writes = requests.filter(isWrite).filter(request => !isEvent(request));
      console.log(
        `one plain Cluster: ${made.length} invocations, ${writing.length} of them writing; ${requests.length} requests, ` +
          `${writes.length} writes besides Events`,
      );
      const list = writing.map(each =>
        each.filter(isWrite).map(({ verb, resource, code }) => `${verb} ${resource} ${code}`),
      );
      expect(writing.length).toBeGreaterThan(0);
      expect(writing.length, JSON.stringify(list)).toBeLessThanOrEqual(2);
      expect(writes.length).toBeLessThanOrEqual(5);
    });

    it('is settled then: another reconcile makes no write', () => {
      const { poked } = counted();
      console.log(`a settled reconcile: ${poked[0]?.length} requests`);
      expect(poked.length).toBeGreaterThan(0);
      expect(poked.flat().filter(isWrite)).toEqual([]);
    });
  });
}

/** With control plane object, three Machines and a MachineDeployment. Returns the requests of reconciles without writes. */
export async function countWorkers(counted: CountedRun): Promise<readonly CountedRequests[]> {
  const { run, client } = counted;
  const ref = clusterRef('default', 'c1');
  const facts = await factsOfStage(counted, 'workers', async () => {
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
    await client.until(ref, object => conditionOf(object, 'RemoteConnectionProbe') === 'True');
    await settleAndPoke(run, client, { controller: 'cluster', ref });
  });
  return reconcilesOf('c1', facts)
    .filter(requests => !requests.some(isWrite))
    .slice(-3);
}

export function describeWorkers(counted: () => readonly CountedRequests[]): void {
  // The simulated controllers report at any time, so one of the reconciles may write.
  it('a Cluster with workers settles: a reconcile without writes makes at most 12 reads', () => {
    const settled = counted();
    const most = Math.max(...settled.map(({ length }) => length));
    console.log(`a settled reconcile with workers: ${most} requests`);
    expect(settled.length).toBeGreaterThan(0);
    expect(most).toBeLessThanOrEqual(12);
  });
}

/** The timers of an object would be counted in later stages. */
async function removed(client: WorldClient, ref: ObjectRef): Promise<void> {
  await client.remove(ref);
  await client.until(ref, object => object === undefined);
}

/** Returns the requests of each reconcile of one Cluster. */
function reconcilesOf(name: string, facts: readonly RecordedFact[]): readonly CountedRequests[] {
  return invocationsOf('cluster', facts)
    .map(({ requests }) => requests.filter(ofCountedCluster))
    .filter(requests => requests.some(request => request.name === name));
}

/** Markers have their own namespace. */
function ofCountedCluster({ namespace }: { readonly namespace?: string }): boolean {
  return namespace === undefined || namespace === 'default';
}
