// Kills the process with SIGKILL at some of the first requests of a drain, on a real API server. The end state must equal
// that without a kill, and no Pod is evicted that the rules skip. Each commit tests other points.
import { readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import type { ObjectRef } from '@capi-serverless/apimachinery';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { simulatedCrds } from '../../../local/provider/crds/index.ts';
import { coreCrds } from '../../../shared/api/crds.ts';
import { commitSeed } from '../../support/commit-seed.ts';
import { describeReal } from '../../support/describe-real.ts';
import { installDefinitions } from '../../support/install-definitions.ts';
import { type RealControlPlane, startControlPlane } from '../../support/real-control-plane.ts';
import { startRestartingRun } from '../../support/restarting-run.ts';
import { connectWorldClient, type WorldClient } from '../../support/world-client.ts';
import {
  aDrainedMachine,
  aPod,
  evictedPods,
  infrastructureRef,
  machineRef,
  nodeRef,
  skippedPods,
} from './drained-machine.ts';
import { chooseKillPoints, toText } from './kill-points.ts';
import { findDifferences, readAccepted } from './kill-trials.ts';

/** The number of kill points of a run without requested points: one round of all lanes. */
const size = 4;
/** The kills are at these first requests. */
const mostRequests = 75;
/** The requested points, for example `17:answered,20:sent`, or `all`. */
const wish = process.env['CAPI_TEST_DRAIN_KILLS'];
/** All points take half an hour. */
const limitMs = wish === 'all' ? 7_200_000 : 600_000;
const seed = Number(process.env['CAPI_TEST_KILL_SEED'] ?? commitSeed());
/** The users of the functions in the management cluster, and in the workload cluster. */
const [functionsUser, workloadUser] = ['functions', 'workload'];
const kubeletMs = 200;

interface Ended {
  /** The Pods that still exist. */
  readonly pods: readonly string[];
  /** The Pods that the functions evicted, and the objects that they deleted. */
  readonly changes: readonly string[];
  readonly requests: number;
  readonly killed: boolean;
}

describeReal('a run killed at a request of a drain', () => {
  let controlPlane: RealControlPlane;
  let client: WorldClient;
  let undisturbed: Ended;

  beforeAll(async () => {
    controlPlane = await startControlPlane({
      users: [functionsUser, workloadUser].map(name => ({ name, groups: ['system:masters'] })),
      // Without the controller of ServiceAccounts, the admission of Pods would wait for them.
      apiserverFlags: ['--disable-admission-plugins=ServiceAccount'],
    });
    client = await connectWorldClient(controlPlane.kubeconfigPath('admin'));
    await installDefinitions(client.kubernetes, [...coreCrds, ...simulatedCrds]);
    undisturbed = await drain('undisturbed');
  });

  afterAll(() => controlPlane?.stop());

  it('evicts the Pods that the rules select, and deletes Node and infrastructure', () => {
    expect(undisturbed).toMatchObject({
      pods: skippedPods,
      changes: [
        'delete nodes <namespace>-m1',
        'delete simulatedmachines m1',
        ...evictedPods.map(name => `evict ${name}`),
      ],
    });
  });

  it('ends in the same state, with the same evictions and deletes', { timeout: limitMs }, async () => {
    const points = chooseKillPoints(Math.min(undisturbed.requests, mostRequests), { wish, seed, size });
    console.log(
      `${points.length} kill points of a drain with ${undisturbed.requests} requests, CAPI_TEST_KILL_SEED=${seed}. Replay: CAPI_TEST_DRAIN_KILLS=${points.map(toText)} npm run test:kill`,
    );
    const different = await findDifferences(points, undisturbed, {
      play: drain,
      toOutcome: ({ pods, changes }) => [pods, changes],
    });
    expect(different).toEqual([]);
  });

  /** The Machine is in deletion before the functions start. */
  async function drain(namespace: string, kill?: string): Promise<Ended> {
    for (const object of aDrainedMachine(namespace, controlPlane.kubeconfig(workloadUser))) {
      await client.create(object);
    }
    const daemonSet = await client.read({ apiVersion: 'apps/v1', kind: 'DaemonSet', namespace, name: 'agent' });
    const owner = {
      apiVersion: 'apps/v1',
      kind: 'DaemonSet',
      name: 'agent',
      uid: daemonSet?.metadata.uid ?? '',
      controller: true,
    };
    await client.create(aPod(namespace, 'agent', { ownerReferences: [owner] }));
    await client.remove(machineRef(namespace));
    const args = ['--kubeconfig', controlPlane.kubeconfigPath(functionsUser), '--watch-filter', namespace, '--json'];
    const run = startRestartingRun(args, kill);
    await run.during(playKubeletUntilGone(namespace));
    for (const ref of [nodeRef(namespace), infrastructureRef(namespace)]) {
      expect(await client.read(ref)).toBeUndefined();
    }
    await run.stop();
    const pods = (await podsIn(namespace)).map(({ name }) => name).sort();
    return { pods, changes: changesIn(namespace), requests: run.requests(), killed: run.killed };
  }

  /** Removes each evicted Pod, and then changes the Machine. Otherwise its next reconcile is 20 seconds later. */
  async function playKubeletUntilGone(namespace: string): Promise<void> {
    for (let round = 1; (await client.read(machineRef(namespace))) !== undefined; round += 1) {
      const stopped = (await podsIn(namespace)).filter(({ isDeleting }) => isDeleting);
      for (const { ref } of stopped) {
        await client.kubernetes.delete(ref, { gracePeriodSeconds: 0 });
      }
      if (stopped.length > 0) {
        const annotations = { 'kill.example.com/kubelet': String(round) };
        await client.patch(machineRef(namespace), { metadata: { annotations } });
      }
      await delay(kubeletMs);
    }
  }

  async function podsIn(namespace: string) {
    const pods = await client.kubernetes.list({ apiVersion: 'v1', kind: 'Pod', namespace });
    return (pods.ok ? pods.value : []).map(({ metadata: { name, deletionTimestamp } }) => ({
      name,
      ref: { apiVersion: 'v1', kind: 'Pod', namespace, name } satisfies ObjectRef,
      isDeleting: deletionTimestamp !== undefined,
    }));
  }

  /** A repeated eviction of the same Pod has no effect. */
  function changesIn(namespace: string): readonly string[] {
    const changes = readAccepted(readFileSync(controlPlane.auditLogPath, 'utf8'))
      .filter(
        ({ user, name, ...of }) =>
          [functionsUser, workloadUser].includes(user) &&
          (of.namespace === namespace || name === nodeRef(namespace).name),
      )
      .flatMap(({ verb, resource, subresource, name }) => {
        const evicts = subresource === 'eviction' ? [`evict ${name}`] : [];
        return verb === 'delete' ? [`delete ${resource} ${withoutNamespace(name)}`] : evicts;
      });
    return [...new Set(changes)].sort();
  }
});

/** The name of the Node contains the namespace of the run. */
function withoutNamespace(text: string): string {
  return text.replace(/(?:undisturbed|kill-\d+)-m1/, '<namespace>-m1');
}
