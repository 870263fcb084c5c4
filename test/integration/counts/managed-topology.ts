// The requests of a managed topology.
import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { Unstructured } from '@capi-serverless/apimachinery';
import { describe, expect, it } from 'vitest';
import { projectRoot } from '../../../infra/bundles/bundle.ts';
import { parseManifests } from '../../../local/manifests.ts';
import { invocationsOf, isEvent, isWrite } from '../../support/facts.ts';
import type { RecordedFact } from '../../support/local-run.ts';
import { markerNamespace, pokeOnce, settleAndPoke } from '../../support/quiet.ts';
import { clusterRef } from '../../support/static-provider.ts';
import { conditionOf } from '../../support/world-client.ts';
import { type CountedRequests, type CountedRun, factsOfStage } from './counted-run.ts';

const name = 'counted';
const ref = clusterRef('default', name);
const file = 'examples/topology/cluster-class.yaml';
const [clusterClass, ...templates] = parseManifests(readFileSync(path.join(projectRoot, file), 'utf8'), file);
const classRef = { ...ref, kind: 'ClusterClass', name: 'simulated' };

const cluster = {
  apiVersion: ref.apiVersion,
  kind: 'Cluster',
  metadata: { name, namespace: 'default' },
  spec: {
    topology: {
      classRef: { name: 'simulated' },
      version: 'v1.35.0',
      controlPlane: { replicas: 1 },
      workers: {
        machineDeployments: [
          { class: 'worker', name: 'front', replicas: 1 },
          { class: 'worker', name: 'back', replicas: 1 },
        ],
      },
      variables: [{ name: 'size', value: 'medium' }],
    },
  },
};

interface CountedTopology {
  readonly made: readonly CountedRequests[];
  readonly poked: readonly CountedRequests[];
  readonly grown: readonly CountedRequests[];
}

function requestsOf(facts: readonly RecordedFact[]): readonly CountedRequests[] {
  return invocationsOf('topology', facts)
    .map(({ requests }) => requests.filter(({ namespace }) => namespace !== markerNamespace))
    .filter(requests => requests.some(request => request.resource === 'clusters' && request.name === name));
}

/** Counts each request once, also if the invocation for a marker ran at the same time. */
const allOf = (invocations: readonly CountedRequests[]): CountedRequests => [...new Set(invocations.flat())];

/** The number of requests by object, without the Cluster itself and Events. */
function perObject(requests: CountedRequests): ReadonlyMap<string, number> {
  const generated = requests.filter(
    request => !isEvent(request) && request.resource !== 'clusters' && request.resource !== 'clusters/status',
  );
  const named = Map.groupBy(generated, ({ resource, name: object = '' }) => `${resource}/${object}`);
  return new Map([...named].map(([object, all]) => [object, all.length]));
}

const most = (counts: ReadonlyMap<string, number>): number => Math.max(0, ...counts.values());

/** Returns the facts until the topology reconciler has processed the effects of the change. */
function factsOf(counted: CountedRun, change: { marker: string; make(): Promise<unknown> }) {
  return factsOfStage(counted, change.marker, async () => {
    await change.make();
    await pokeOnce(counted.run, counted.client, { controller: 'topology', ref });
  });
}

function toText({ verb, resource, name: object, dryRun, code }: CountedRequests[number]): string {
  const failed = code < 300 ? '' : ` answered ${code}`;
  return `${dryRun ? 'try ' : ''}${verb} ${resource} ${toTopologyName(object)}${failed}`;
}

/** Converts `counted-front-x7k2m` to `front`. */
function toTopologyName(object = ''): string {
  return object.split('-')[1] ?? '';
}

const isAvailable = (object: Unstructured | undefined): boolean => conditionOf(object, 'Available') === 'True';

export async function countTopology(counted: CountedRun): Promise<CountedTopology> {
  const { run, client } = counted;
  for (const object of [...templates, ...(clusterClass === undefined ? [] : [clusterClass])]) {
    await client.create(object);
  }
  await client.until(classRef, object => conditionOf(object, 'VariablesReady') === 'True');
  const make = async () => {
    await client.create(cluster);
    await client.until(ref, object => conditionOf(object, 'TopologyReconciled') === 'True');
  };
  const made = requestsOf(await factsOf(counted, { marker: 'made', make }));
  await client.until(ref, isAvailable);
  const settle = () => settleAndPoke(run, client, { controller: 'topology', ref });
  const poked = requestsOf(await factsOfStage(counted, 'poked', settle)).slice(-3);
  const topology = { workers: { machineDeployments: [{ class: 'worker', name: 'front', replicas: 2 }] } };
  const change = () => client.patch(ref, { spec: { topology } });
  const grown = requestsOf(await factsOf(counted, { marker: 'grown', make: change }));
  return { made, poked, grown };
}

export function describeTopology(counted: () => CountedTopology): void {
  describe('a managed topology', () => holdCounts(counted));
}

function holdCounts(counted: () => CountedTopology): void {
  it('creates its objects with at most two writes and two dry runs each', () => {
    const { made } = counted();
    const requests = allOf(made);
    const writes = perObject(requests.filter(isWrite));
    const dryRuns = perObject(requests.filter(({ dryRun }) => dryRun));
    console.log(
      `a topology made: ${made.length} invocations, ${requests.length} requests; ${writes.size} objects, ` +
        `${[...writes.values()].reduce((sum, count) => sum + count, 0)} writes, at most ${most(writes)} each; ` +
        `${[...dryRuns].map(([object, count]) => `${object} ${count}`).join(', ') || 'no'} dry runs`,
    );
    // The objects are: infrastructure, control plane and its machines, a shim; two templates and a MachineDeployment
    // twice; three health checks.
    expect(writes.size).toBe(13);
    expect(most(writes)).toBeLessThanOrEqual(2);
    expect(most(dryRuns)).toBeLessThanOrEqual(2);
  });

  it('is settled then: another reconcile makes no write, no dry run, and few reads', () => {
    const { poked } = counted();
    const most = Math.max(...poked.map(({ length }) => length));
    console.log(`a settled topology: ${most} requests`);
    expect(poked.length).toBeGreaterThan(0);
    expect(poked.flat().filter(request => isWrite(request) || request.dryRun)).toEqual([]);
    expect(most).toBeLessThanOrEqual(25);
  });

  it('makes dry runs only of objects that may change: one MachineDeployment grows, the other is deleted', () => {
    const kinds = ['machinedeployments', 'machinehealthchecks'];
    const requests = allOf(counted().grown).filter(({ resource }) => kinds.includes(resource));
    const reported = requests.filter(request => isWrite(request) || request.dryRun).map(toText);
    console.log(`a topology changed: ${reported.join(', ')}`);
    expect(reported.toSorted()).toEqual([
      'apply machinedeployments front',
      'delete machinedeployments back',
      'delete machinehealthchecks back',
      'try apply machinedeployments front',
      'try apply machinedeployments front',
    ]);
  });
}
