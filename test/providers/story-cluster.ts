// The Cluster of the stories.
import type { Intent } from '@capi-serverless/apimachinery';

export const namespace = 'default';
export const clusterName = 'story';
const workers = 'md-0';
const moreWorkers = 'md-1';

export interface StoryClass {
  /** The ClusterClass. */
  readonly object: Intent;
  /** The values of its variables in every Cluster, besides the note. */
  readonly variables: readonly { readonly name: string; readonly value: unknown }[];
  /** The labels of its Clusters. */
  readonly labels: Readonly<Record<string, string>>;
}

/** What the stories change of a topology. */
export interface StoryTopology {
  readonly version: string;
  readonly controlPlane: number;
  readonly workers: number;
  /** The Machines of a second worker topology. Without any, there is none. */
  readonly moreWorkers: number;
  /** The value of the variable. Every Machine has it in its bootstrap configuration. */
  readonly note: string;
  /** The value of a label of all Machines, which can be changed in place. */
  readonly team: string;
  /** The bootstrap template of the workers in the class. */
  readonly template: 'first' | 'second';
  readonly paused: boolean;
}

export const firstTopology: StoryTopology = {
  version: 'v1.35.0',
  controlPlane: 1,
  workers: 1,
  moreWorkers: 0,
  note: 'first',
  team: 'blue',
  template: 'first',
  paused: false,
};

/** The label of all Machines. */
export const teamLabel = 'team';

/** Returns the Cluster in this version of the API. */
export function aStoryCluster(version: 'v1beta1' | 'v1beta2', storyClass: StoryClass, topology: StoryTopology): Intent {
  const { name } = storyClass.object.metadata;
  const named = version === 'v1beta1' ? { class: name } : { classRef: { name } };
  const { topology: changed, paused } = toChange(storyClass, topology);
  return {
    apiVersion: `cluster.x-k8s.io/${version}`,
    kind: 'Cluster',
    metadata: { namespace, name: clusterName, labels: storyClass.labels },
    spec: {
      ...(paused === null ? {} : { paused }),
      clusterNetwork: {
        services: { cidrBlocks: ['10.128.0.0/12'] },
        pods: { cidrBlocks: ['192.168.0.0/16'] },
        serviceDomain: 'cluster.local',
      },
      topology: { ...named, ...changed },
    },
  };
}

/** Returns the merge patch of `spec`, the same in both versions of the API. */
export function toChange({ object, variables }: StoryClass, topology: StoryTopology) {
  const { version, controlPlane, note, team, paused } = topology;
  const [workerClass] = Object(object['spec']).workers.machineDeployments;
  const metadata = { labels: { [teamLabel]: team } };
  const deployments = [
    { name: workers, replicas: topology.workers },
    ...(topology.moreWorkers === 0 ? [] : [{ name: moreWorkers, replicas: topology.moreWorkers }]),
  ];
  return {
    // v1beta1 does not store `false`.
    paused: paused ? true : null,
    topology: {
      version,
      controlPlane: { metadata, replicas: controlPlane },
      workers: {
        machineDeployments: deployments.map(deployment => ({
          ...deployment,
          class: String(workerClass.class),
          metadata,
        })),
      },
      variables: [...variables, { name: 'note', value: note }],
    },
  };
}
