// Kills the process with SIGKILL at some of its requests and restarts it. The final state must equal the state without
// a kill. Each commit tests other points. test/simulation/kills.test.ts tests all of them in virtual time.
import { readFileSync } from 'node:fs';
import { type Intent, type ObjectRef, toRef, type Unstructured } from '@capi-serverless/apimachinery';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { simulatedCrds } from '../../../local/provider/crds/index.ts';
import { failingSinceAnnotation } from '../../../shared/api/cluster/remote-connection.ts';
import { coreCrds } from '../../../shared/api/crds.ts';
import { commitSeed } from '../../support/commit-seed.ts';
import { describeReal } from '../../support/describe-real.ts';
import { installDefinitions } from '../../support/install-definitions.ts';
import { normalise } from '../../support/normalise.ts';
import { type RealControlPlane, startControlPlane } from '../../support/real-control-plane.ts';
import { startRestartingRun } from '../../support/restarting-run.ts';
import { connectWorldClient, type WorldClient } from '../../support/world-client.ts';
import { chooseKillPoints, toText } from './kill-points.ts';
import { findDifferences, readAccepted } from './kill-trials.ts';

/** The number of kill points of a run without requested points: one round of all lanes. */
const size = 4;
/** The requested points, for example `17:answered,20:sent`, or `all`. */
const wish = process.env['CAPI_TEST_KILLS'];
const seed = Number(process.env['CAPI_TEST_KILL_SEED'] ?? commitSeed());
/** The functions act as this user, so that the audit log distinguishes them from the test. */
const functionsUser = 'functions';

interface Ended {
  /** The three objects in their settled state. */
  readonly ready: readonly unknown[];
  /** The lines `create|delete Kind name` for each create and delete by the functions, without Events. */
  readonly changes: readonly string[];
  readonly requests: number;
  readonly killed: boolean;
}

describeReal('a run killed at a request', () => {
  let controlPlane: RealControlPlane;
  let client: WorldClient;
  let undisturbed: Ended;

  beforeAll(async () => {
    controlPlane = await startControlPlane({ users: [{ name: functionsUser, groups: ['system:masters'] }] });
    client = await connectWorldClient(controlPlane.kubeconfigPath('admin'));
    await installDefinitions(client.kubernetes, [...coreCrds, ...simulatedCrds]);
    undisturbed = await createAndDelete('undisturbed');
  });

  afterAll(() => controlPlane?.stop());

  it('ends in the same state, with the same creates and deletes', async () => {
    const points = chooseKillPoints(undisturbed.requests, { wish, seed, size });
    console.log(
      `${points.length} of ${2 * undisturbed.requests} kill points, CAPI_TEST_KILL_SEED=${seed}. Replay: CAPI_TEST_KILLS=${points.map(toText)} npm run test:kill`,
    );
    const different = await findDifferences(points, undisturbed, {
      play: createAndDelete,
      toOutcome: ({ ready, changes }) => [changes, ready],
    });
    expect(different).toEqual([]);
  });

  /** Creates a Cluster with infrastructure and control plane, waits until it settles, deletes it, and waits again. */
  async function createAndDelete(namespace: string, kill?: string): Promise<Ended> {
    await client.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } });
    const kubeconfig = controlPlane.kubeconfigPath(functionsUser);
    const args = ['--kubeconfig', kubeconfig, '--watch-filter', namespace, '--json'];
    const run = startRestartingRun(args, kill);
    const objects = objectsOf(namespace);
    const refs = objects.map(toRef);
    const ready = await run.during(create(objects, refs));
    await run.during(remove(refs));
    await run.stop();
    return { ready, changes: changesIn(namespace), requests: run.requests(), killed: run.killed };
  }

  async function create(objects: readonly Intent[], refs: readonly ObjectRef[]): Promise<readonly unknown[]> {
    for (const object of objects) {
      await client.create(object);
    }
    const ready = [];
    for (const ref of refs) {
      ready.push(normalise(await client.until(ref, isWell)));
    }
    return ready;
  }

  /** The first one is the Cluster. The others are deleted with the Cluster. */
  async function remove([cluster, ...others]: readonly ObjectRef[]): Promise<void> {
    if (cluster === undefined) {
      throw new Error('There is no Cluster to remove');
    }
    await client.remove(cluster);
    for (const ref of [cluster, ...others]) {
      await client.until(ref, object => object === undefined);
    }
  }

  function changesIn(namespace: string): readonly string[] {
    return readAccepted(readFileSync(controlPlane.auditLogPath, 'utf8'))
      .filter(
        ({ user, verb, resource, ...of }) =>
          user === functionsUser &&
          of.namespace === namespace &&
          ['create', 'delete'].includes(verb) &&
          resource !== 'events',
      )
      .map(({ verb, resource, name }) => `${verb} ${resource} ${name}`)
      .sort();
  }
});

function objectsOf(namespace: string): readonly [Intent, ...Intent[]] {
  const metadata = { name: 'c1', namespace, labels: { 'cluster.x-k8s.io/watch-filter': namespace } };
  const quick = { provisionSeconds: 0, deletionSeconds: 0 };
  const infrastructure = { apiGroup: 'infrastructure.cluster.x-k8s.io', kind: 'SimulatedCluster', name: 'c1' };
  const controlPlane = { apiGroup: 'controlplane.cluster.x-k8s.io', kind: 'SimulatedControlPlane', name: 'c1' };
  return [
    {
      apiVersion: 'cluster.x-k8s.io/v1beta2',
      kind: 'Cluster',
      metadata,
      spec: { infrastructureRef: infrastructure, controlPlaneRef: controlPlane },
    },
    { apiVersion: 'infrastructure.cluster.x-k8s.io/v1beta2', kind: 'SimulatedCluster', metadata, spec: quick },
    {
      apiVersion: 'controlplane.cluster.x-k8s.io/v1beta2',
      kind: 'SimulatedControlPlane',
      metadata,
      spec: { ...quick, version: 'v1.35.0', replicas: 1 },
    },
  ];
}

/**
 * Returns true if the object is Available (the Cluster and the control plane) or Ready (the infrastructure) in the
 * current generation. A restarted process simulates the workload cluster at another URL. Until its kubeconfig is
 * updated, the Cluster has a failed probe.
 */
function isWell(object: Unstructured | undefined): boolean {
  if (object?.metadata.annotations?.[failingSinceAnnotation] !== undefined) {
    return false;
  }
  const status = object?.status as { readonly conditions?: readonly Readonly<Record<string, unknown>>[] } | undefined; // True: the schema requires it.
  const telling = object?.kind === 'SimulatedCluster' ? 'Ready' : 'Available';
  const condition = status?.conditions?.find(({ type }) => type === telling);
  return condition?.['status'] === 'True' && condition['observedGeneration'] === object?.metadata.generation;
}
