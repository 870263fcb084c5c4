// The clients of the stories: one writes v1beta2, the other one is kubectl with manifests and patches in v1beta1.
import { expect } from 'vitest';
import { type Kubectl, withKubectl } from '../ports/apiserver/kubectl.ts';
import type { StoryRig } from './rig.ts';
import {
  aStoryCluster,
  clusterName,
  namespace,
  type StoryClass,
  type StoryTopology,
  toChange,
} from './story-cluster.ts';

export interface StoryClient {
  create(topology: StoryTopology): Promise<unknown>;
  change(topology: StoryTopology): Promise<unknown>;
  remove(): Promise<unknown>;
}

/** Returns a client that creates Clusters of the class. */
export type ToStoryClient = (rig: StoryRig, storyClass?: StoryClass) => StoryClient;

export const currentClient: ToStoryClient = (
  { installation: { client }, ref, usualClass },
  storyClass = usualClass,
) => ({
  create: topology => client.create(aStoryCluster('v1beta2', storyClass, topology)),
  change: topology => client.patch(ref, { spec: toChange(storyClass, topology) }),
  remove: () => client.remove(ref),
});

/** The name of a resource of Cluster API in v1beta1. */
export const olderResource = (plural: string): string => `${plural}.v1beta1.cluster.x-k8s.io`;

export const olderClient: ToStoryClient = ({ installation, usualClass }, storyClass = usualClass) => {
  const kubeconfig = installation.controlPlane.kubeconfigPath('admin');
  const cluster = [olderResource('clusters'), clusterName, `--namespace=${namespace}`];
  const run = (args: readonly string[], input?: string): Promise<unknown> =>
    withKubectl(kubeconfig, kubectl => succeed(kubectl, args, input));
  return {
    create: topology => run(['apply', '-f', '-'], JSON.stringify(aStoryCluster('v1beta1', storyClass, topology))),
    change(topology) {
      const spec = toChange(storyClass, topology);
      return run(['patch', ...cluster, '--type=merge', `--patch=${JSON.stringify({ spec })}`]);
    },
    remove: () => run(['delete', ...cluster, '--wait=false']),
  };
};

/** Fails with the error output. */
export async function succeed(kubectl: Kubectl, args: readonly string[], input?: string): Promise<void> {
  const { exitCode, stderr } = await kubectl(args, input);
  expect({ exitCode, stderr }, `kubectl ${args.join(' ')}`).toMatchObject({ exitCode: 0 });
}
