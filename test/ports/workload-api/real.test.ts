// The REST adapter of the clients of workload clusters, against a real kube-apiserver.
import { afterAll, beforeAll } from 'vitest';
import { describeReal } from '../../support/describe-real.ts';
import { type RealControlPlane, startControlPlane } from '../../support/real-control-plane.ts';
import { connectHealthy } from './rest-subject.ts';
import { workloadApiConformance } from './suite.ts';
import type { HealthySubject } from './workload-subject.ts';

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
    close: async () => {
      await Promise.all(closing.splice(0).map(end => end()));
    },
  });
});
