// A management cluster with upstream's core manager and providers, in which the stories of one Cluster run.
import { execFile } from 'node:child_process';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import { type Intent, type ListQuery, toRef, type Unstructured } from '@capi-serverless/apimachinery';
import { deploymentNameLabel } from '../../shared/api/machine-deployment/reader.ts';
import { accepted } from '../support/accepted.ts';
import { type AuditPoster, prepareAuditPoster } from '../support/audit-poster.ts';
import { deployedUsers } from '../support/deployed-functions.ts';
import { clusterRef } from '../support/static-provider.ts';
import { type Installation, install } from '../take-over/installation.ts';
import type { Upstream } from '../upstream-manager/manager.ts';
import { startProviders, type UpstreamProviders } from '../upstream-providers/providers.ts';
import { whyNotReached } from './stories.ts';
import { createStoryClass, hookCalls } from './story-class.ts';
import { clusterName, namespace, type StoryClass, type StoryTopology } from './story-cluster.ts';
import { longestMs, until } from './until.ts';
import { failNode } from './workload-nodes.ts';

/** The end state of a story is the first that stays the same for this time. */
const stableMs = 5_000;

const describeFlags = ['--show-conditions=all', '--show-machinesets', '--grouping=false', '--echo', '--color=false'];

const storyRef = clusterRef(namespace, clusterName);

export interface StoryRig {
  readonly installation: Installation;
  readonly providers: UpstreamProviders;
  /** Its API server posts audit events from the start on. */
  readonly auditPoster: AuditPoster;
  /** The class of the stories that need no extension. */
  readonly usualClass: StoryClass;
  readonly ref: typeof storyRef;
  /** Returns the output of `clusterctl describe cluster` with all conditions. */
  describe(): Promise<string>;
  /** Resolves when the Cluster has this topology, or is gone. */
  reach(topology: StoryTopology | undefined): Promise<void>;
  /** Marks a worker Machine for remediation, or its Node as failed. Resolves when the Machine is gone. */
  replaceWorker(because: 'marked' | 'nodeFailed'): Promise<void>;
  /** Makes a change, and resolves when it has brought the first new Machine. */
  untilNewMachine(change: () => Promise<unknown>): Promise<void>;
  /**
   * Resolves with all objects of the Cluster when they do not change any more, or when all are gone. The ConfigMap of the
   * extension is the last one.
   */
  settle(topology: StoryTopology | undefined): Promise<readonly Unstructured[]>;
  stop(): Promise<void>;
}

export interface StoryParts {
  readonly upstream: Upstream;
  readonly providers: UpstreamProviders;
  /** The path of the program. */
  readonly clusterctl: string;
}

/** The core manager reconciles everything at first. The class exists, in the version of upstream's file. */
export async function startStoryRig({ upstream, providers, clusterctl }: StoryParts): Promise<StoryRig> {
  const crds = providers.all.flatMap(provider => provider.crds);
  const auditPoster = await prepareAuditPoster();
  const installation = await install(upstream, { crds, users: deployedUsers, audit: auditPoster.options });
  const { client, controlPlane } = installation;
  const running = await startProviders(providers, client, controlPlane.kubeconfigPath('admin'));
  const usualClass = await createStoryClass(client, providers);
  const queries = [...[...upstream.crds, ...crds].flatMap(toQueries), secrets];
  const objectsOf = async (selected: readonly ListQuery[]): Promise<readonly Unstructured[]> => {
    const lists = await Promise.all(selected.map(async query => accepted(await client.kubernetes.list(query))));
    return lists.flat();
  };
  const machines = (): Promise<readonly Unstructured[]> => objectsOf(queries.filter(({ kind }) => kind === 'Machine'));
  return {
    ...{ installation, providers, auditPoster, usualClass, ref: storyRef },
    describe: () => describeCluster(clusterctl, controlPlane.kubeconfigPath('admin')),
    async reach(topology) {
      const kinds = topology === undefined ? ['Cluster'] : watchedKinds;
      const watched = queries.filter(({ kind }) => kinds.includes(kind));
      await until('get as wished', async () => whyNotReached(await objectsOf(watched), topology));
    },
    async replaceWorker(because) {
      const worker = (await machines()).find(({ metadata: { labels = {} } }) => deploymentNameLabel in labels);
      if (worker === undefined) {
        throw new Error('The Cluster has no worker');
      }
      const ref = toRef(worker);
      if (because === 'marked') {
        await client.patch(ref, { metadata: { annotations: { 'cluster.x-k8s.io/remediate-machine': '' } } });
      } else {
        await failNode(client, worker);
      }
      await client.until(ref, object => object === undefined);
    },
    async untilNewMachine(change) {
      const before = new Set((await machines()).map(({ metadata }) => metadata.name));
      await change();
      await until('get a new Machine', async () => {
        const isNew = ({ metadata }: Unstructured): boolean => !before.has(metadata.name);
        return (await machines()).some(isNew) ? undefined : `there are only ${[...before].join(', ')}`;
      });
    },
    async settle(topology) {
      if (topology === undefined) {
        await until('disappear', async () => whyNotReached(await objectsOf(queries), topology));
      }
      return [...(await untilStable(() => objectsOf(queries))), ...(await objectsOf([hooksQuery]))];
    },
    async stop() {
      await running.stop();
      await installation.stop();
      auditPoster.close();
    },
  };
}

async function describeCluster(clusterctl: string, kubeconfigPath: string): Promise<string> {
  const args = ['describe', 'cluster', clusterName, `--namespace=${namespace}`, ...describeFlags];
  const env = { HOME: '/nonexistent', CLUSTERCTL_DISABLE_VERSIONCHECK: 'true' };
  const { stdout } = await promisify(execFile)(clusterctl, [...args, `--kubeconfig=${kubeconfigPath}`], { env });
  return stdout;
}

/** Every story ends with a state of these kinds. Health checks report a pause up to 15 s later. */
const watchedKinds = ['Cluster', 'Machine', 'KubeadmConfig', 'MachineHealthCheck'];

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

const hooksQuery: ListQuery = {
  apiVersion: 'v1',
  kind: 'ConfigMap',
  namespace,
  fields: { 'metadata.name': hookCalls },
};

const secrets: ListQuery = { apiVersion: 'v1', kind: 'Secret', namespace, labels };

/** The names of these objects are those of their Clusters. */
const namedAfterCluster = ['Cluster', 'ClusterResourceSetBinding'];

/** The query of the objects of the Cluster, in the version that is stored. The class and its templates have no such label. */
function toQueries(crd: Intent): readonly ListQuery[] {
  const { group, scope, names, versions } = Object(crd['spec']);
  const stored = versions.find(({ storage }: { readonly storage: boolean }) => storage);
  const query = { apiVersion: `${group}/${stored.name}`, kind: String(names.kind), namespace };
  if (scope !== 'Namespaced') {
    return [];
  }
  return [
    {
      ...query,
      ...(namedAfterCluster.includes(query.kind) ? { fields: { 'metadata.name': clusterName } } : { labels }),
    },
  ];
}
