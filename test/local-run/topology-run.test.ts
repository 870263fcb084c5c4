// The lifecycle of a managed topology in the local run with its embedded API server, from its class to the last deleted
// object.
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { type Intent, type ObjectRef, type Unstructured, valueAt } from '@capi-serverless/apimachinery';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { projectRoot } from '../../infra/bundles/bundle.ts';
import { embeddedKubeconfigPath } from '../../local/embedded.ts';
import { parseManifests } from '../../local/manifests.ts';
import { type LocalRun, startLocalRun } from '../support/local-run.ts';
import { clusterRef } from '../support/static-provider.ts';
import { conditionOf, connectWorldClient, type WorldClient } from '../support/world-client.ts';

const folder = 'examples/topology';
const ref = clusterRef('default', 'managed');
const core = ref.apiVersion;
const infrastructure = 'infrastructure.cluster.x-k8s.io/v1beta2';
const bootstrap = 'bootstrap.cluster.x-k8s.io/v1beta2';

/** Every kind of object in a topology on simulated infrastructure. */
const kinds: readonly (readonly string[])[] = [
  ...['MachineDeployment', 'MachineSet', 'MachinePool', 'Machine', 'MachineHealthCheck'].map(kind => [core, kind]),
  ...['Cluster', 'Machine', 'MachineTemplate', 'MachinePool'].map(kind => [infrastructure, `Simulated${kind}`]),
  ...['BootstrapConfig', 'BootstrapConfigTemplate'].map(kind => [bootstrap, `Simulated${kind}`]),
  ['controlplane.cluster.x-k8s.io/v1beta2', 'SimulatedControlPlane'],
  ['v1', 'Secret'],
];

const classFile = `${folder}/cluster-class.yaml`;
const classObjects = parseManifests(readFileSync(path.join(projectRoot, classFile), 'utf8'), classFile);

/** The Cluster of the example with one Machine of each type, because a test waits for each of them. */
function exampleCluster(): Intent {
  const file = path.join(projectRoot, folder, 'cluster.yaml');
  const [cluster] = parseManifests(readFileSync(file, 'utf8').replaceAll(/replicas: \d/g, 'replicas: 1'), file);
  if (cluster === undefined) {
    throw new Error(`${file} holds no Cluster`);
  }
  return cluster;
}

const isAvailable = (object: Unstructured | undefined): boolean => conditionOf(object, 'Available') === 'True';

/** Returns the versions that control plane and workers report, without duplicates. */
function versionsOf(cluster: Unstructured | undefined): ReadonlySet<unknown> {
  const lists = ['controlPlane', 'workers'].map(part => valueAt(cluster?.status, `${part}.versions`));
  return new Set(lists.flat().map(item => Object(item).version));
}

const isFailure = ({ event, line }: LocalRun['lines'][number]): boolean =>
  event === 'log' && Object(line).message === 'Reconciler error';

/** Whether a reconcile lost a race in each of its passes. That depends on the speed of the machine. A retry follows. */
const isContended = ({ line }: LocalRun['lines'][number]): boolean =>
  String(Object(line).error).startsWith('Another writer changed objects');

/** Returns all objects of the kinds in the namespace. */
async function existing(client: WorldClient): Promise<readonly ObjectRef[]> {
  const lists = await Promise.all(
    kinds.map(async ([apiVersion = '', kind = '']) => {
      const list = await client.kubernetes.list({ apiVersion, kind, namespace: 'default' });
      expect(list).toMatchObject({ ok: true });
      return list.ok
        ? list.value.map(({ metadata }) => ({ apiVersion, kind, namespace: 'default', name: metadata.name }))
        : [];
    }),
  );
  return lists.flat();
}

describe('a managed topology in a local run', () => {
  let run: LocalRun;
  let client: WorldClient;

  beforeAll(async () => {
    run = startLocalRun({ args: ['--json', '--apply', classFile] });
    await run.line(({ event }) => event === 'started');
    client = await connectWorldClient(embeddedKubeconfigPath);
    // The run bundles every function first if no bundles exist.
  });

  afterAll(async () => {
    run.interrupt();
    await run.ended;
  });

  it('becomes Available, with all objects of its class', async () => {
    await client.create(exampleCluster());
    const cluster = await client.until(ref, isAvailable);
    expect(conditionOf(cluster, 'TopologyReconciled')).toBe('True');
    expect(versionsOf(cluster)).toEqual(new Set(['v1.35.0']));
    const counts = Map.groupBy(await existing(client), ({ kind }) => kind);
    const countOf = (kind: string): number => counts.get(kind)?.length ?? 0;
    expect([countOf('MachineDeployment'), countOf('MachinePool'), countOf('Machine')]).toEqual([2, 1, 3]);
    expect(countOf('MachineHealthCheck')).toBe(3);
  });

  it('is upgraded: first the control plane, then its workers', async () => {
    const patched = await client.patch(ref, { spec: { topology: { version: 'v1.36.0' } } });
    const onTheWay = await client.until(ref, object => versionsOf(object).has('v1.36.0'), patched);
    expect(conditionOf(onTheWay, 'TopologyReconciled')).toBe('False');
    const workers = (valueAt(onTheWay?.status, 'workers.versions') ?? []) as readonly { readonly version: string }[]; // True: the schema requires it.
    expect(workers.map(({ version }) => version)).toEqual(['v1.35.0']);
    const done = await client.until(
      ref,
      object => conditionOf(object, 'TopologyReconciled') === 'True' && !versionsOf(object).has('v1.35.0'),
    );
    expect(versionsOf(done)).toEqual(new Set(['v1.36.0']));
  });

  it('leaves only its class behind when it is deleted', async () => {
    const before = await existing(client);
    await client.remove(ref);
    await client.until(ref, object => object === undefined);
    const ofClass = classObjects.map(({ kind, metadata }) => `${kind} ${metadata.name}`);
    for (const object of before.filter(({ kind, name }) => !ofClass.includes(`${kind} ${name}`))) {
      await client.until(object, found => found === undefined);
    }
    expect((await existing(client)).filter(({ kind, name }) => !ofClass.includes(`${kind} ${name}`))).toEqual([]);
  });

  it('had no failed reconcile, besides lost races', async () => {
    run.interrupt();
    expect(await run.ended).toBe(0);
    const failures = run.lines.filter(isFailure);
    expect(failures.filter(line => !isContended(line)).map(({ line }) => line)).toEqual([]);
    expect(run.lines.at(-1)).toMatchObject({ event: 'summary', failedReconciles: failures.length });
  });
});
