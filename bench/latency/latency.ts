// Section `latency`: the time from the write of an idle object to the start of its reconcile.
import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { systemClock } from '@capi-serverless/apimachinery/system-clock';
import { declarations } from '../../functions/declarations.ts';
import { currentBundles } from '../../infra/bundles/current.ts';
import { type ApiServerConnection, connect } from '../../local/connect.ts';
import { listen } from '../../local/counters.ts';
import { requireCrds } from '../../local/crds.ts';
import { startEmbedded } from '../../local/embedded.ts';
import { toLocalFunctions } from '../../local/local-functions.ts';
import { startWorld } from '../../local/local-system.ts';
import { coreCrds } from '../../shared/api/crds.ts';
import { logs, type ReconcileFact, reconciles } from '../../shared/diagnostics/channels.ts';
import { createJsonLog } from '../../shared/telemetry/json-log.ts';
import { toConsumers, toQueueSpecs } from '../../shared/workqueue/queue-specs.ts';
import { quantile, type Row, type Say, type Section } from '../section.ts';

const namespace = 'default';
const clusterKind = { apiVersion: 'cluster.x-k8s.io/v1beta2', kind: 'Cluster' } as const;

/** The time is longer than the forwarder treats a key as busy after its last message, and longer than a reconcile. */
const quietMs = 6_000;

interface Sample {
  readonly watchedMs: number;
  readonly reconciledMs: number;
}

/** Each sample is an annotation on a different settled Cluster. There is no other work at the same time. */
export async function measureLatency({
  samples,
  say,
}: {
  readonly samples: number;
  readonly say: Say;
}): Promise<Section> {
  const folder = await mkdtemp(path.join(tmpdir(), 'capi-latency-'));
  const quiet = listen(logs, () => undefined);
  const embedded = await startEmbedded({
    port: 0,
    kubeconfigPath: path.join(folder, 'kubeconfig'),
    dataFile: undefined,
  });
  const connection = await connect(embedded.kubeconfigPath);
  await requireCrds(connection.kubernetes, coreCrds, { clock: systemClock });
  const world = await startLocalWorld(connection);
  try {
    say(`latency: creating ${samples} Clusters and waiting until they are quiet`);
    const names = Array.from({ length: samples }, (_, index) => `c${index}`);
    await settle(connection, names);
    say('latency: changing them one by one');
    return toSection(await sampleAll(connection, names));
  } finally {
    await world.stop();
    await connection.close();
    await embedded.stop();
    quiet();
    await rm(folder, { recursive: true });
  }
}

async function startLocalWorld({ kubeconfigPath, forwarder, managementCluster }: ApiServerConnection) {
  const functions = toLocalFunctions([]);
  return startWorld({
    kubeconfigPath,
    kubernetes: forwarder,
    managementCluster,
    declarations,
    queues: toQueueSpecs(toConsumers(declarations)),
    functions,
    bundles: await currentBundles(functions),
    sources: ['forwarder'],
    audit: undefined,
    windowed: undefined,
    watchFilter: '',
    resyncPeriodSeconds: 86_400,
    logLevel: 'info',
    clock: systemClock,
    newId: randomUUID,
    log: createJsonLog({ level: 'info' }),
  });
}

/** Creates the Clusters and waits until none was reconciled for some time. */
async function settle({ kubernetes }: ApiServerConnection, names: readonly string[]): Promise<void> {
  let lastAt = performance.now();
  const stop = listen<ReconcileFact>(reconciles, () => {
    lastAt = performance.now();
  });
  for (const name of names) {
    const spec = { controlPlaneEndpoint: { host: `${name}.example`, port: 6443 } };
    const created = await kubernetes.create({ ...clusterKind, metadata: { namespace, name }, spec });
    if (!created.ok) {
      throw new Error(`Creating Cluster ${name} failed: ${created.failure.message}`);
    }
  }
  lastAt = performance.now();
  for (let left = quietMs; left > 0; left = lastAt + quietMs - performance.now()) {
    await systemClock.sleep(left);
  }
  stop();
}

async function sampleAll(connection: ApiServerConnection, names: readonly string[]): Promise<readonly Sample[]> {
  const moments = new Moments();
  const stop = listen<ReconcileFact>(reconciles, ({ name, seconds }) =>
    moments.record(`reconciled ${name}`, performance.now() - seconds * 1_000),
  );
  const ended = new AbortController();
  const watching = watchBarely(connection, moments, ended.signal);
  const samples: Sample[] = [];
  for (const name of names) {
    const seen = [moments.of(`watched ${name}`), moments.of(`reconciled ${name}`)] as const;
    const startedAt = performance.now();
    const metadata = { annotations: { touched: 'yes' } };
    await connection.kubernetes.mergePatch({ ...clusterKind, namespace, name }, { metadata });
    const [watched, reconciled] = await Promise.all(seen);
    samples.push({ watchedMs: watched - startedAt, reconciledMs: reconciled - startedAt });
  }
  ended.abort();
  await watching;
  stop();
  return samples;
}

/** Returns the times at which a client with a plain watch receives the changes. */
async function watchBarely({ kubernetes }: ApiServerConnection, moments: Moments, signal: AbortSignal): Promise<void> {
  const query = { ...clusterKind, as: 'metadata' } as const;
  const page = await kubernetes.watches.page(query, { limit: 1, signal });
  const resourceVersion = page.ok ? page.value.resourceVersion : '';
  for await (const event of kubernetes.watches.watch(query, { resourceVersion, signal, timeoutSeconds: 3_600 })) {
    if (event.type === 'MODIFIED') {
      moments.record(`watched ${event.object.metadata.name}`, performance.now());
    }
  }
}

/** The time at which each event first occurred. The event may be requested before or after it occurs. */
class Moments {
  readonly #moments = new Map<string, PromiseWithResolvers<number>>();

  record(what: string, at: number): void {
    this.#entry(what).resolve(at);
  }

  of(what: string): Promise<number> {
    return this.#entry(what).promise;
  }

  #entry(what: string): PromiseWithResolvers<number> {
    const entry = this.#moments.get(what) ?? Promise.withResolvers<number>();
    this.#moments.set(what, entry);
    return entry;
  }
}

function toSection(samples: readonly Sample[]): Section {
  const row = (figure: string, share: number): Row => ({
    figure: `${figure} (${samples.length} changes)`,
    unit: 'ms',
    values: [
      quantile(
        samples.map(({ reconciledMs }) => reconciledMs),
        share,
      ),
      quantile(
        samples.map(({ watchedMs }) => watchedMs),
        share,
      ),
    ],
  });
  return {
    name: 'latency',
    title: 'From a write to the start of its reconcile, objects quiet, functions warm',
    subjects: ['capi-serverless', 'a bare watch: write → event'],
    rows: [row('p50', 0.5), row('p99', 0.99), row('longest', 1)],
    skipped: [],
  };
}
