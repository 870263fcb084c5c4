// The stories of one Cluster: each changes its topology, and says when the change has had its effect.
import { memberOf, type Unstructured, valueAt } from '@capi-serverless/apimachinery';
import { conditionOf } from '../support/world-client.ts';
import { clusterName, commandOf, firstTopology, type StoryTopology } from './story-cluster.ts';

export interface Story {
  readonly name: string;
  /** The topology after the story. The first story creates the Cluster. `undefined`: the Cluster is deleted. */
  readonly topology: StoryTopology | undefined;
  /** The topology is the same as before, and a worker Machine is marked for remediation. */
  readonly remediates?: true;
}

const scaled: StoryTopology = { ...firstTopology, controlPlane: 3, workers: 2 };
const newVersion: StoryTopology = { ...firstTopology, version: 'v1.36.0' };
const annotated: StoryTopology = { ...newVersion, note: 'second' };
const moreWorkers: StoryTopology = { ...annotated, workers: 2 };

/** Stories that also run alone. */
export const created = 'a Cluster is created';
export const upgraded = 'the version is raised by one minor';
export const deleted = 'the Cluster is deleted';

export const stories: readonly Story[] = [
  { name: created, topology: firstTopology },
  { name: 'control plane and workers are scaled up', topology: scaled },
  { name: 'control plane and workers are scaled down', topology: firstTopology },
  { name: upgraded, topology: newVersion },
  { name: 'a variable of the class is changed', topology: annotated },
  { name: 'a paused Cluster is scaled', topology: { ...moreWorkers, paused: true } },
  { name: 'the Cluster is resumed', topology: moreWorkers },
  { name: 'a worker Machine is marked for remediation', topology: moreWorkers, remediates: true },
  { name: deleted, topology: undefined },
];

/** The objects of the Cluster. */
type StoryObjects = readonly Unstructured[];

/** Returns the reason why the story has not ended yet, or `undefined`. */
export function whyNotReached(objects: StoryObjects, topology: StoryTopology | undefined): string | undefined {
  if (topology === undefined) {
    return objects.length === 0 ? undefined : `there are ${objects.map(({ kind }) => kind).join(', ')}`;
  }
  const cluster = objects.find(({ kind, metadata: { name } }) => kind === 'Cluster' && name === clusterName);
  const wanted = topology.paused ? pausedConditions : settledConditions;
  const missing = Object.entries(wanted).find(([type, status]) => conditionOf(cluster, type) !== status);
  if (missing !== undefined) {
    return `${missing[0]} is ${conditionOf(cluster, missing[0])}`;
  }
  return topology.paused ? undefined : (whyNotCurrent(cluster) ?? whyNotReplaced(objects, topology));
}

const pausedConditions = { Paused: 'True' } as const;

const settledConditions = {
  Paused: 'False',
  TopologyReconciled: 'True',
  Available: 'True',
  RollingOut: 'False',
  ScalingUp: 'False',
  ScalingDown: 'False',
} as const;

/** A condition of an earlier spec says nothing. */
function whyNotCurrent(cluster: Unstructured | undefined): string | undefined {
  const conditions = valueAt(cluster?.status, 'conditions');
  const reconciled = Array.isArray(conditions)
    ? conditions.find(condition => memberOf(condition, 'type') === 'TopologyReconciled')
    : undefined;
  return memberOf(reconciled, 'observedGeneration') === cluster?.metadata.generation
    ? undefined
    : 'the spec is not reconciled yet';
}

/** Every Machine has the version and the variable, and a Node. */
function whyNotReplaced(objects: StoryObjects, { version, controlPlane, workers, note }: StoryTopology) {
  const ofKind = (kind: string): StoryObjects => objects.filter(object => object.kind === kind);
  const machines = ofKind('Machine');
  const isReady = (machine: Unstructured): boolean =>
    valueAt(machine.spec, 'version') === version &&
    conditionOf(machine, 'Available') === 'True' &&
    conditionOf(machine, 'UpToDate') === 'True';
  const configs = ofKind('KubeadmConfig').filter(({ spec }) =>
    JSON.stringify(valueAt(spec, 'postKubeadmCommands') ?? []).includes(`"${commandOf(note)}"`),
  );
  const count = controlPlane + workers;
  const counts = [machines.length, machines.filter(isReady).length, configs.length, ofKind('KubeadmConfig').length];
  return counts.every(each => each === count)
    ? undefined
    : `${counts[0]} Machines, ${counts[1]} ready, ${counts[2]} of ${counts[3]} configurations, ${count} wanted`;
}
