// The requests of a ClusterClass, of Clusters and of a managed topology, counted in one local run on a real API server
// or in one on the embedded API server, as the commit chooses.
import { beforeAll, describe, expect } from 'vitest';
import { embeddedKubeconfigPath } from '../../local/embedded.ts';
import { describeReal } from '../support/describe-real.ts';
import { type LocalRun, startLocalRun } from '../support/local-run.ts';
import { startControlPlane } from '../support/real-control-plane.ts';
import { describeRotation, itemsOf, rotationOf } from '../support/rotation.ts';
import { staticClusterCrd } from '../support/static-provider.ts';
import { connectWorldClient } from '../support/world-client.ts';
import { countClass, describeClass } from './counts/cluster-class.ts';
import type { CountedRun } from './counts/counted-run.ts';
import { countTopology, describeTopology } from './counts/managed-topology.ts';
import { countPlainCluster, countWorkers, describePlainCluster, describeWorkers } from './counts/plain-cluster.ts';

/** There is no server for the extensions that the class references. */
const env = { CAPI_FEATURE_GATES: 'RuntimeSDK=false' };

interface CountedServer {
  readonly kubeconfig: string;
  readonly run: LocalRun;
  stop(): Promise<unknown>;
}

/** Returns a function that returns the result of `count`, once all stages have ended. */
function counting<T>(start: () => Promise<CountedServer>, count: (run: CountedRun) => Promise<T>): () => T {
  let result: T;
  beforeAll(async () => {
    const { kubeconfig, run, stop } = await start();
    try {
      await run.line(({ event }) => event === 'started');
      result = await count({ run, client: await connectWorldClient(kubeconfig) });
    } finally {
      run.interrupt();
      const code = await run.ended;
      await stop();
      expect(code).toBe(0);
    }
  });
  return () => result;
}

function countOnRealServer(suite: string): void {
  describeReal(suite, () => {
    const start = async (): Promise<CountedServer> => {
      const controlPlane = await startControlPlane();
      const kubeconfig = controlPlane.kubeconfigPath('admin');
      const client = await connectWorldClient(kubeconfig);
      await client.create(staticClusterCrd);
      const run = startLocalRun({ args: ['--kubeconfig', kubeconfig, '--install-crds', '--json'], env });
      return { kubeconfig, run, stop: () => controlPlane.stop() };
    };
    const counted = counting(start, async run => ({
      // No marker exists yet whose invocations could overlap with those that are counted.
      plain: await countPlainCluster(run),
      class: await countClass(run),
      workers: await countWorkers(run),
      topology: await countTopology(run),
    }));
    describeClass(() => counted().class);
    describePlainCluster(() => counted().plain);
    describeWorkers(() => counted().workers);
    describeTopology(() => counted().topology);
  });
}

function countOnEmbeddedServer(suite: string): void {
  describe(suite, () => {
    const start = async (): Promise<CountedServer> => {
      const run = startLocalRun({ args: ['--no-examples', '--json'], env });
      return { kubeconfig: embeddedKubeconfigPath, run, stop: async () => undefined };
    };
    const counted = counting(start, async run => ({
      class: await countClass(run),
      topology: await countTopology(run),
    }));
    describeClass(() => counted().class);
    describeTopology(() => counted().topology);
  });
}

const servers = [
  { name: 'a real API server', count: countOnRealServer },
  { name: 'the embedded API server', count: countOnEmbeddedServer },
];
const rotation = rotationOf(servers.length);
for (const { name, count } of itemsOf(servers, rotation)) {
  count(describeRotation(`the requests on ${name}`, rotation));
}
