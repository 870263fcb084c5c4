// The clients of the stories: one writes v1beta2, the other one is kubectl with manifests and patches in v1beta1.
import { expect } from 'vitest';
import { type Kubectl, withKubectl } from '../ports/apiserver/kubectl.ts';
import type { StoryRig } from './rig.ts';
import { aStoryCluster, clusterName, namespace, type StoryTopology, toChange } from './story-cluster.ts';

export interface StoryClient {
  create(topology: StoryTopology): Promise<unknown>;
  change(topology: StoryTopology): Promise<unknown>;
  remove(): Promise<unknown>;
}

export function currentClient({ installation: { client }, ref, clusterClass }: StoryRig): StoryClient {
  return {
    create: topology => client.create(aStoryCluster('v1beta2', clusterClass, topology)),
    change: topology => client.patch(ref, { spec: toChange(clusterClass, topology) }),
    remove: () => client.remove(ref),
  };
}

/** The name of a resource of Cluster API in v1beta1. */
export const olderResource = (plural: string): string => `${plural}.v1beta1.cluster.x-k8s.io`;

export function olderClient({ installation, clusterClass }: StoryRig): StoryClient {
  const kubeconfig = installation.controlPlane.kubeconfigPath('admin');
  const cluster = [olderResource('clusters'), clusterName, `--namespace=${namespace}`];
  const run = (args: readonly string[], input?: string): Promise<unknown> =>
    withKubectl(kubeconfig, kubectl => succeed(kubectl, args, input));
  return {
    create: topology => run(['apply', '-f', '-'], JSON.stringify(aStoryCluster('v1beta1', clusterClass, topology))),
    change(topology) {
      const spec = toChange(clusterClass, topology);
      return run(['patch', ...cluster, '--type=merge', `--patch=${JSON.stringify({ spec })}`]);
    },
    remove: () => run(['delete', ...cluster, '--wait=false']),
  };
}

/** Fails with the error output. */
export async function succeed(kubectl: Kubectl, args: readonly string[], input?: string): Promise<void> {
  const { exitCode, stderr } = await kubectl(args, input);
  expect({ exitCode, stderr }, `kubectl ${args.join(' ')}`).toMatchObject({ exitCode: 0 });
}
