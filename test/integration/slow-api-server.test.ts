// Managed topologies in a local run whose API server is slow, busy and unreliable. A proxy in front of it delays, refuses
// and resets requests. test/virtual/load has the same with 20 Clusters and longer latencies, in virtual time.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, it } from 'vitest';
import { projectRoot } from '../../infra/bundles/bundle.ts';
import { parseManifests } from '../../local/manifests.ts';
import { simulatedCrds } from '../../local/provider/crds/index.ts';
import { coreCrds } from '../../shared/api/crds.ts';
import { describeReal } from '../support/describe-real.ts';
import { installDefinitions } from '../support/install-definitions.ts';
import { type RecordedFact, startLocalRun } from '../support/local-run.ts';
import { startControlPlane } from '../support/real-control-plane.ts';
import { startSlowProxy } from '../support/slow-proxy.ts';
import { clusterRef } from '../support/static-provider.ts';
import { conditionOf, connectWorldClient } from '../support/world-client.ts';

/** Latencies are a twentieth of those in virtual time, so that the test mostly waits, and not for long. */
const api = { seed: process.env['CAPI_LOAD_SEED'] ?? '1', p50Ms: 75, p99Ms: 1400, refused: 0.03, reset: 0.02 };
/** A message becomes a dead letter only after this many invocations that did not acknowledge it. */
const mostReceives = 5;
const names = ['slow-1', 'slow-2'];
const file = 'examples/topology/cluster-class.yaml';

const specOf = () => ({
  topology: {
    classRef: { name: 'simulated' },
    version: 'v1.35.0',
    controlPlane: { replicas: 1 },
    workers: { machineDeployments: [{ class: 'worker', name: 'front', replicas: 1 }] },
  },
});

const reconcilesIn = (facts: readonly RecordedFact[], controller: string) =>
  facts.flatMap(fact => (fact.fact === 'reconcile' && fact.reconciler === controller ? [fact] : []));

describeReal('managed topologies on a slow, busy and unreliable API server', () => {
  it('become Available', async () => {
    const plane = await startControlPlane();
    const proxy = await startSlowProxy({ ...plane, kubeconfig: plane.kubeconfig('admin') }, api);
    const folder = mkdtempSync(path.join(tmpdir(), 'capi-slow-'));
    try {
      const kubeconfig = path.join(folder, 'kubeconfig');
      writeFileSync(kubeconfig, proxy.kubeconfig);
      const direct = await connectWorldClient(plane.kubeconfigPath('admin'));
      // The command would stop at the first refused request.
      await installDefinitions(direct.kubernetes, [...coreCrds, ...simulatedCrds]);
      const run = startLocalRun({ args: ['--kubeconfig', kubeconfig, '--json'] });
      await run.line(({ event }) => event === 'started');
      for (const object of parseManifests(readFileSync(path.join(projectRoot, file), 'utf8'), file)) {
        await direct.create(object);
      }
      const refs = names.map(name => clusterRef('default', name));
      for (const { apiVersion, kind, name } of refs) {
        await direct.create({ apiVersion, kind, metadata: { name, namespace: 'default' }, spec: specOf() });
      }
      for (const ref of refs) {
        await direct.until(ref, object => conditionOf(object, 'Available') === 'True');
      }
      const facts = run.facts();
      run.interrupt();
      expect(await run.ended, run.stderr).toBe(0);
      const clusters = reconcilesIn(facts, 'cluster');
      const failed = clusters.filter(({ result }) => result === 'error');
      console.log(
        `${clusters.length} Cluster reconciles, ${failed.length} failed; requests: ${JSON.stringify(proxy.counts)}`,
      );
      expect(Math.min(proxy.counts.served, proxy.counts.refused, proxy.counts.reset)).toBeGreaterThan(0);
      expect(failed.length).toBeLessThan(clusters.length / 3);
      // The limits of the simulated controllers are shorter than those of the product.
      const unacknowledged = facts.filter(
        fact => fact.fact === 'invocation' && fact.failures > 0 && !fact.functionName.startsWith('simulated'),
      );
      expect(unacknowledged.length).toBeLessThan(mostReceives);
    } finally {
      await proxy.close();
      await plane.stop();
      rmSync(folder, { recursive: true, force: true });
    }
  });
});
