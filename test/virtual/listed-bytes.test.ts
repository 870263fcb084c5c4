// The bytes that a resync receives for a settled Cluster with topology, which the estimate of costs assumes.
import path from 'node:path';
import { gzipSync } from 'node:zlib';
import type { Answer, Kubernetes, ListedPage, Unstructured, WatchQuery } from '@capi-serverless/apimachinery';
import { expect, it } from 'vitest';
import { assumed } from '../../cli/cost/items.ts';
import { readObjects } from '../../cli/plan/files.ts';
import { declarations } from '../../functions/declarations.ts';
import { takeInventory } from '../../functions/resync/take-inventory.ts';
import { projectRoot } from '../../infra/bundles/bundle.ts';
import { createMetricsRegistry } from '../../shared/telemetry/metrics-registry.ts';
import { createRandom } from '../simulation/engine/random.ts';
import { reconcilersOf } from '../simulation/system/reconcilers.ts';
import { aRecordingLog } from '../support/kernel.ts';
import { clusterRef } from '../support/static-provider.ts';
import { conditionOf } from '../support/world-client.ts';
import { settleWorld } from './settled-objects.ts';

const clusters = 100;
/** kube-apiserver compresses with this level, and only answers of this size. */
const compression = { level: 1, leastBytes: 128 * 1024 };

interface Listed {
  readonly query: WatchQuery;
  readonly items: readonly Unstructured[];
}

/** Returns what the resync lists, with every item in full. */
async function listedBy(kubernetes: Kubernetes): Promise<readonly Listed[]> {
  const listed: Listed[] = [];
  const page = async (
    query: WatchQuery,
    options: Parameters<Kubernetes['watches']['page']>[1],
  ): Promise<Answer<ListedPage>> => {
    const { as: _as, parts: _parts, ...whole } = query;
    const answer = await kubernetes.list(whole);
    // Without the class and its templates, which many Clusters share.
    const items = answer.ok ? answer.value.filter(item => /"managed[-"]/.test(JSON.stringify(item))) : [];
    listed.push({ query, items });
    return kubernetes.watches.page(query, options);
  };
  const { failures } = await takeInventory({
    declarations,
    kubernetes,
    watches: { page },
    managementCluster: 'mgmt',
    stateNamespace: 'kube-system',
    watchFilter: '',
    layout: 'per-kind',
    log: aRecordingLog(),
    metrics: createMetricsRegistry(),
    signal: new AbortController().signal,
  });
  expect(failures).toEqual([]);
  return listed;
}

/** An item of a list as the API server sends it. */
function toSent({ apiVersion, kind, metadata, ...fields }: Unstructured, { as }: WatchQuery): object {
  return as === 'metadata'
    ? { kind: 'PartialObjectMetadata', apiVersion: 'meta.k8s.io/v1', metadata }
    : { apiVersion, kind, metadata, ...fields };
}

const uid = /\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b/g;

/** The same objects of many Clusters, with names and uids of their own. */
function copiesOf(text: string): readonly string[] {
  return Array.from({ length: clusters }, (_, index) => {
    const random = createRandom(`copy/${index}`);
    const uids = new Map<string, string>();
    return text
      .replaceAll('managed-', `cluster-${index}-`)
      .replaceAll('"managed"', `"cluster-${index}"`)
      .replaceAll(uid, of => {
        const own = uids.get(of) ?? random.uuid();
        uids.set(of, own);
        return own;
      });
  });
}

it('are as many as the estimate of costs assumes, as text and compressed', async () => {
  const ref = clusterRef('default', 'managed');
  const classAndTemplates = await readObjects([path.join(projectRoot, 'examples/topology/cluster-class.yaml')]);
  const world = await settleWorld('the listed bytes of a managed topology', {
    reconcilers: reconcilersOf({ managed: true }),
    async script(user) {
      await user.create(...classAndTemplates);
      const workers = ['front', 'back'].map(name => ({ class: 'worker', name, replicas: 1 }));
      await user.create({
        apiVersion: ref.apiVersion,
        kind: 'Cluster',
        metadata: { name: 'managed', namespace: 'default' },
        spec: {
          topology: {
            classRef: { name: 'simulated' },
            version: 'v1.35.0',
            controlPlane: { replicas: 1 },
            workers: { machineDeployments: workers },
            variables: [{ name: 'size', value: 'medium' }],
          },
        },
      });
      await user.until('a reconciled topology', ref, object => conditionOf(object, 'TopologyReconciled') === 'True');
    },
  });
  const received = { text: 0, compressed: 0 };
  for (const { query, items } of await listedBy(world.kubernetes)) {
    const list = copiesOf(JSON.stringify(items.map(item => toSent(item, query)))).join(',');
    received.text += list.length;
    received.compressed += list.length < compression.leastBytes ? list.length : gzipSync(list, compression).length;
  }
  const [text, compressed] = [received.text / clusters, received.compressed / clusters];
  console.log(`A resync receives ${text.toFixed(0)} bytes for each Cluster, compressed ${compressed.toFixed(0)}`);
  expect(compressed).toBeLessThan(assumed.listedBytesPerCluster);
  expect(compressed).toBeGreaterThan(assumed.listedBytesPerCluster * 0.8);
  expect(text).toBeGreaterThan(5 * compressed);
});
