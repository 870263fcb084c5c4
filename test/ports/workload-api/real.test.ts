// The REST adapter of the clients of workload clusters, against a real kube-apiserver.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { toRef } from '../../../packages/apimachinery/object.ts';
import { describeReal } from '../../support/describe-real.ts';
import { type RealControlPlane, startControlPlane } from '../../support/real-control-plane.ts';
import { connectHealthy } from './rest-subject.ts';
import { workloadApiConformance } from './suite.ts';
import { aPod, clusterOf, expectFailure, freshName, given, type HealthySubject, run, signal } from './world.ts';

describeReal('the clients of workload clusters', () => {
  let plane: RealControlPlane | undefined;
  const closing: (() => Promise<void>)[] = [];

  beforeAll(async () => {
    // Without the controller of ServiceAccounts, the admission of Pods would wait for them.
    plane = await startControlPlane({
      controllers: false,
      apiserverFlags: ['--disable-admission-plugins=ServiceAccount'],
    });
  });

  afterAll(async () => {
    await plane?.stop();
  });

  async function openHealthy(): Promise<HealthySubject> {
    if (plane === undefined) {
      throw new Error('The control plane was not started');
    }
    const { url, caPem } = plane;
    const server = { url, caPem, token: plane.token('admin'), kubeconfig: plane.kubeconfig('admin') };
    return connectHealthy(server, closing);
  }

  workloadApiConformance('REST adapter, kube-apiserver', {
    openHealthy,
    evicts: true,
    close: async () => {
      await Promise.all(closing.splice(0).map(end => end()));
    },
  });

  describe('an eviction', () => {
    it('that a disruption budget refuses has its message and its causes', async () => {
      const world = await openHealthy();
      const app = freshName();
      const intent = aPod(freshName(), 'n1');
      const labelled = { ...intent, metadata: { ...intent.metadata, labels: { app } } };
      const pod = await given(world, labelled);
      await run(world, pod);
      await given(world, {
        apiVersion: 'policy/v1',
        kind: 'PodDisruptionBudget',
        metadata: { name: app, namespace: 'default' },
        spec: { minAvailable: 1, selector: { matchLabels: { app } } },
      });
      world.api.reads(world.target, signal);
      const writes = world.writers(clusterOf(world));
      const failure = expectFailure(await writes.evict(toRef(pod), { uid: pod.metadata.uid }));
      expect(failure).toMatchObject({ reason: 'TooManyRequests', code: 429 });
      expect(failure.message).toBe("Cannot evict pod as it would violate the pod's disruption budget.");
      expect(failure.causes).toEqual([`The disruption budget ${app} is still being processed by the server.`]);
      expect(world.sent()).toBe(1);
    });
  });
});
