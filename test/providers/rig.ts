// A management cluster with upstream's core manager and providers, in which the stories of one Cluster run.
import { setTimeout as delay } from 'node:timers/promises';
import { type Intent, type ListQuery, toRef, type Unstructured } from '@capi-serverless/apimachinery';
import { accepted } from '../support/accepted.ts';
import { deployedUsers } from '../support/deployed-functions.ts';
import { clusterRef } from '../support/static-provider.ts';
import { type Installation, install } from '../take-over/installation.ts';
import type { Upstream } from '../upstream-manager/manager.ts';
import { startProviders, type UpstreamProviders } from '../upstream-providers/providers.ts';
import { whyNotReached } from './stories.ts';
import { createStoryClass } from './story-class.ts';
import { clusterName, namespace, type StoryTopology } from './story-cluster.ts';
import { longestMs, until } from './until.ts';

/** The end state of a story is the first that stays the same for this time. */
const stableMs = 5_000;

const storyRef = clusterRef(namespace, clusterName);

export interface StoryRig {
  readonly installation: Installation;
  readonly clusterClass: Intent;
  readonly ref: typeof storyRef;
  /** Resolves when the Cluster has this topology, or is gone. */
  reach(topology: StoryTopology | undefined): Promise<void>;
  /** Marks a worker Machine for remediation, and resolves when it is gone. */
  replaceWorker(): Promise<void>;
  /** Resolves with all objects of the Cluster when they do not change any more, or when all are gone. */
  settle(topology: StoryTopology | undefined): Promise<readonly Unstructured[]>;
  stop(): Promise<void>;
}

/** The core manager reconciles everything at first. The class exists, in the version of upstream's file. */
export async function startStoryRig(upstream: Upstream, providers: UpstreamProviders): Promise<StoryRig> {
  const crds = providers.all.flatMap(provider => provider.crds);
  const installation = await install(upstream, { crds, users: deployedUsers });
  const { client, controlPlane } = installation;
  const running = await startProviders(providers, client, controlPlane.kubeconfigPath('admin'));
  const clusterClass = await createStoryClass(client, providers);
  const queries = [...[...upstream.crds, ...crds].flatMap(toQueries), secrets];
  const objectsOf = async (selected: readonly ListQuery[]): Promise<readonly Unstructured[]> => {
    const lists = await Promise.all(selected.map(async query => accepted(await client.kubernetes.list(query))));
    return lists.flat();
  };
  return {
    ...{ installation, clusterClass, ref: storyRef },
    async reach(topology) {
      const kinds = topology === undefined ? ['Cluster'] : watchedKinds;
      const watched = queries.filter(({ kind }) => kinds.includes(kind));
      await until('get as wished', async () => whyNotReached(await objectsOf(watched), topology));
    },
    async replaceWorker() {
      const machines = await objectsOf(queries.filter(({ kind }) => kind === 'Machine'));
      const worker = machines.find(({ metadata: { labels = {} } }) => deploymentLabel in labels);
      if (worker === undefined) {
        throw new Error('The Cluster has no worker');
      }
      const ref = toRef(worker);
      await client.patch(ref, { metadata: { annotations: { 'cluster.x-k8s.io/remediate-machine': '' } } });
      await client.until(ref, object => object === undefined);
    },
    async settle(topology) {
      if (topology === undefined) {
        await until('disappear', async () => whyNotReached(await objectsOf(queries), topology));
      }
      return untilStable(() => objectsOf(queries));
    },
    async stop() {
      await running.stop();
      await installation.stop();
    },
  };
}

const deploymentLabel = 'cluster.x-k8s.io/deployment-name';

/** Every story ends with a state of these kinds. */
const watchedKinds = ['Cluster', 'Machine', 'KubeadmConfig'];

async function untilStable(read: () => Promise<readonly Unstructured[]>): Promise<readonly Unstructured[]> {
  const versionsOf = (objects: readonly Unstructured[]): string =>
    objects.map(({ metadata: { uid, resourceVersion } }) => `${uid} ${resourceVersion}`).join();
  const signal = AbortSignal.timeout(longestMs);
  let before: string | undefined;
  for (;;) {
    const objects = await read();
    const versions = versionsOf(objects);
    if (versions === before || objects.length === 0) {
      return objects;
    }
    if (signal.aborted) {
      throw new Error(`The objects of the Cluster still change after ${longestMs / 1000} s`);
    }
    before = versions;
    await delay(stableMs);
  }
}

const labels = { 'cluster.x-k8s.io/cluster-name': clusterName };

const secrets: ListQuery = { apiVersion: 'v1', kind: 'Secret', namespace, labels };

/** The query of the objects of the Cluster, in the version that is stored. The class and its templates have no such label. */
function toQueries(crd: Intent): readonly ListQuery[] {
  const { group, scope, names, versions } = Object(crd['spec']);
  const stored = versions.find(({ storage }: { readonly storage: boolean }) => storage);
  const query = { apiVersion: `${group}/${stored.name}`, kind: String(names.kind), namespace };
  if (scope !== 'Namespaced') {
    return [];
  }
  return [{ ...query, ...(query.kind === 'Cluster' ? { fields: { 'metadata.name': clusterName } } : { labels }) }];
}
