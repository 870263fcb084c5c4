// The requests of one large ClusterClass, counted in a local run on a real API server and on the embedded one.
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { type Unstructured, valueAt } from '@capi-serverless/apimachinery';
import { beforeAll, describe, expect, it } from 'vitest';
import { projectRoot } from '../../infra/bundles/bundle.ts';
import { embeddedKubeconfigPath } from '../../local/embedded.ts';
import { parseManifests } from '../../local/manifests.ts';
import { describeReal } from '../support/describe-real.ts';
import { invocationsOf, isWrite, type RecordedInvocation } from '../support/facts.ts';
import { type LocalRun, type RecordedFact, startLocalRun } from '../support/local-run.ts';
import { settleAndPoke } from '../support/quiet.ts';
import { startControlPlane } from '../support/real-control-plane.ts';
import { conditionOf, connectWorldClient } from '../support/world-client.ts';

const file = 'test/fixtures/broad-cluster-class.yaml';
const [clusterClass, ...templates] = parseManifests(readFileSync(path.join(projectRoot, file), 'utf8'), file);
const ref = { apiVersion: 'cluster.x-k8s.io/v1beta2', kind: 'ClusterClass', namespace: 'default', name: 'broad' };

/** There is no server for the extensions that the class references. */
const env = { CAPI_FEATURE_GATES: 'RuntimeSDK=false' };

interface Server {
  readonly kubeconfig: string;
  readonly run: LocalRun;
  stop(): Promise<void>;
}

type Requests = RecordedInvocation['requests'];

/** Returns the requests of each reconcile of the class. */
function reconcilesOf(facts: readonly RecordedFact[]): readonly Requests[] {
  return invocationsOf('clusterclass', facts)
    .map(({ requests }) => requests)
    .filter(requests => requests.some(({ name }) => name === 'broad'));
}

function holdCounts(start: () => Promise<Server>): void {
  let made: readonly Requests[];
  let poked: readonly Requests[];
  let settled: Unstructured | undefined;

  beforeAll(async () => {
    const { kubeconfig, run, stop } = await start();
    try {
      await run.line(({ event }) => event === 'started');
      const client = await connectWorldClient(kubeconfig);
      for (const object of [...templates, ...(clusterClass === undefined ? [] : [clusterClass])]) {
        await client.create(object);
      }
      settled = await client.until(ref, object => conditionOf(object, 'VariablesReady') === 'True');
      await settleAndPoke(run, client, { controller: 'clusterclass', ref });
      run.interrupt();
      expect(await run.ended).toBe(0);
      const all = reconcilesOf(run.facts());
      made = all.slice(0, -3);
      poked = all.slice(-3);
    } finally {
      await stop();
    }
  });

  it('settles in one writing invocation: ten owner references, Paused, and the rest of the status', () => {
    const writing = made.filter(requests => requests.some(isWrite));
    const requests = writing.flat();
    console.log(`a broad class: ${made.length} invocations; the writing one made ${requests.length} requests`);
    expect(writing).toHaveLength(1);
    expect(requests.filter(isWrite)).toHaveLength(12);
    expect(conditionOf(settled, 'RefVersionsUpToDate')).toBe('True');
    expect(valueAt(settled?.status, 'variables')).toHaveLength(32);
  });

  it('is settled then: another reconcile makes no write', () => {
    console.log(`a settled broad class: ${poked[0]?.length} requests`);
    expect(poked.flat().filter(isWrite)).toEqual([]);
  });
}

describeReal('a ClusterClass as broad as those of providers, on a real API server', () => {
  holdCounts(async () => {
    const controlPlane = await startControlPlane();
    const kubeconfig = controlPlane.kubeconfigPath('admin');
    const run = startLocalRun({ args: ['--kubeconfig', kubeconfig, '--install-crds', '--json'], env });
    return { kubeconfig, run, stop: () => controlPlane.stop() };
  });
});

describe('a ClusterClass as broad as those of providers, on the embedded API server', () => {
  holdCounts(async () => {
    const run = startLocalRun({ args: ['--no-examples', '--json'], env });
    return { kubeconfig: embeddedKubeconfigPath, run, stop: async () => run.interrupt() };
  });
});
