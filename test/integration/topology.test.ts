// The requests of a managed topology, counted in a local run on a real API server and on the embedded one.
import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { Unstructured } from '@capi-serverless/apimachinery';
import { beforeAll, describe, expect, it } from 'vitest';
import { projectRoot } from '../../infra/bundles/bundle.ts';
import { embeddedKubeconfigPath } from '../../local/embedded.ts';
import { parseManifests } from '../../local/manifests.ts';
import { describeReal } from '../support/describe-real.ts';
import { invocationsOf, isEvent, isWrite } from '../support/facts.ts';
import { type LocalRun, type RecordedFact, startLocalRun } from '../support/local-run.ts';
import { markerNamespace, quietAfter, reconciledSince, settleAndPoke } from '../support/quiet.ts';
import { startControlPlane } from '../support/real-control-plane.ts';
import { clusterRef } from '../support/static-provider.ts';
import { conditionOf, connectWorldClient, type WorldClient } from '../support/world-client.ts';

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

interface Server {
  readonly kubeconfig: string;
  readonly run: LocalRun;
  stop(): Promise<void>;
}

type Requests = readonly Extract<RecordedFact, { fact: 'request' }>[];

function requestsOf(facts: readonly RecordedFact[]): readonly Requests[] {
  return invocationsOf('topology', facts)
    .map(({ requests }) => requests.filter(({ namespace }) => namespace !== markerNamespace))
    .filter(requests => requests.some(request => request.resource === 'clusters' && request.name === name));
}

/** Counts each request once, also if the invocation for a marker ran at the same time. */
const allOf = (invocations: readonly Requests[]): Requests => [...new Set(invocations.flat())];

/** The number of requests by object, without the Cluster itself and Events. */
function perObject(requests: Requests): ReadonlyMap<string, number> {
  const generated = requests.filter(
    request => !isEvent(request) && request.resource !== 'clusters' && request.resource !== 'clusters/status',
  );
  const named = Map.groupBy(generated, ({ resource, name: object = '' }) => `${resource}/${object}`);
  return new Map([...named].map(([object, all]) => [object, all.length]));
}

const most = (counts: ReadonlyMap<string, number>): number => Math.max(0, ...counts.values());

/** Returns the facts from this point on, until the topology reconciler has processed the effects of `change`. */
async function factsOf(run: LocalRun, client: WorldClient, change: { marker: string; make(): Promise<unknown> }) {
  const before = run.facts().length;
  await change.make();
  const madeAt = Date.now();
  await reconciledSince(run, { controller: 'topology', ref }, madeAt);
  await quietAfter(run, client, change.marker);
  return run.facts().slice(before);
}

function toText({ verb, resource, name: object, dryRun, code }: Requests[number]): string {
  const failed = code < 300 ? '' : ` answered ${code}`;
  return `${dryRun ? 'try ' : ''}${verb} ${resource} ${toTopologyName(object)}${failed}`;
}

/** Converts `counted-front-x7k2m` to `front`. */
function toTopologyName(object = ''): string {
  return object.split('-')[1] ?? '';
}

const isAvailable = (object: Unstructured | undefined): boolean => conditionOf(object, 'Available') === 'True';

function holdCounts(start: () => Promise<Server>): void {
  let made: readonly Requests[];
  let poked: readonly Requests[];
  let grown: readonly Requests[];

  beforeAll(async () => {
    const { kubeconfig, run, stop } = await start();
    try {
      await run.line(({ event }) => event === 'started');
      const client = await connectWorldClient(kubeconfig);
      for (const object of [...templates, ...(clusterClass === undefined ? [] : [clusterClass])]) {
        await client.create(object);
      }
      await client.until(classRef, object => conditionOf(object, 'VariablesReady') === 'True');
      const make = async () => {
        await client.create(cluster);
        await client.until(ref, object => conditionOf(object, 'TopologyReconciled') === 'True');
      };
      made = requestsOf(await factsOf(run, client, { marker: 'made', make }));
      await client.until(ref, isAvailable);
      await settleAndPoke(run, client, { controller: 'topology', ref });
      poked = requestsOf(run.facts()).slice(-2);
      const topology = { workers: { machineDeployments: [{ class: 'worker', name: 'front', replicas: 2 }] } };
      const change = () => client.patch(ref, { spec: { topology } });
      grown = requestsOf(await factsOf(run, client, { marker: 'grown', make: change }));
      run.interrupt();
      expect(await run.ended).toBe(0);
    } finally {
      await stop();
    }
  });

  it('creates its objects with at most two writes and two dry runs each', () => {
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
    const most = Math.max(...poked.map(({ length }) => length));
    console.log(`a settled topology: ${most} requests`);
    expect(poked.length).toBeGreaterThan(0);
    expect(poked.flat().filter(request => isWrite(request) || request.dryRun)).toEqual([]);
    expect(most).toBeLessThanOrEqual(25);
  });

  it('makes dry runs only of objects that may change: one MachineDeployment grows, the other is deleted', () => {
    const kinds = ['machinedeployments', 'machinehealthchecks'];
    const requests = allOf(grown).filter(({ resource }) => kinds.includes(resource));
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

describeReal('a managed topology on a real API server', () => {
  holdCounts(async () => {
    const controlPlane = await startControlPlane();
    const kubeconfig = controlPlane.kubeconfigPath('admin');
    const run = startLocalRun({ args: ['--kubeconfig', kubeconfig, '--install-crds', '--json'] });
    return { kubeconfig, run, stop: () => controlPlane.stop() };
  });
});

describe('a managed topology on the embedded API server', () => {
  holdCounts(async () => {
    const run = startLocalRun({ args: ['--no-examples', '--json'] });
    return { kubeconfig: embeddedKubeconfigPath, run, stop: async () => run.interrupt() };
  });
});
