// The stories of one Cluster: each changes its topology, and says when the change has had its effect.
import { memberOf, type Unstructured, valueAt } from '@capi-serverless/apimachinery';
import { deploymentNameLabel } from '../../shared/api/machine-deployment/reader.ts';
import { conditionOf } from '../support/world-client.ts';
import { commandOf, secondCommand } from './story-class.ts';
import { clusterName, firstTopology, type StoryTopology, teamLabel } from './story-cluster.ts';

export type Story = {
  readonly name: string;
} & (
  | {
      /**
       * `replace`: a worker Machine is marked for remediation. `failNode`: the Node of a worker is no longer ready.
       * `template`: the class gets the template of the topology.
       */
      readonly event: 'create' | 'change' | 'replace' | 'failNode' | 'template';
      /** The topology after the story. */
      readonly topology: StoryTopology;
    }
  | { readonly event: 'delete'; readonly topology?: undefined }
);

const scaled: StoryTopology = { ...firstTopology, controlPlane: 3, workers: 2 };
/** The topologies after an upgrade, and after a change of the variable. */
export const newVersion: StoryTopology = { ...firstTopology, version: 'v1.36.0' };
export const annotated: StoryTopology = { ...newVersion, note: 'second' };
const moreWorkers: StoryTopology = { ...annotated, workers: 2 };
const relabelled: StoryTopology = { ...moreWorkers, team: 'green' };
const twoDeployments: StoryTopology = { ...relabelled, moreWorkers: 1 };
const otherTemplate: StoryTopology = { ...relabelled, template: 'second' };

/** Stories that also run alone, or that others are compared with. */
export const created = 'a Cluster is created';
export const upgraded = 'the version is raised by one minor';
export const changed = 'a variable of the class is changed';
export const deleted = 'the Cluster is deleted';

export const stories: readonly Story[] = [
  { name: created, event: 'create', topology: firstTopology },
  { name: 'control plane and workers are scaled up', event: 'change', topology: scaled },
  { name: 'control plane and workers are scaled down', event: 'change', topology: firstTopology },
  { name: upgraded, event: 'change', topology: newVersion },
  { name: changed, event: 'change', topology: annotated },
  { name: 'a paused Cluster is scaled', event: 'change', topology: { ...moreWorkers, paused: true } },
  { name: 'the Cluster is resumed', event: 'change', topology: moreWorkers },
  { name: 'a worker Machine is marked for remediation', event: 'replace', topology: moreWorkers },
  { name: 'a label of all Machines is changed in place', event: 'change', topology: relabelled },
  { name: 'a worker topology is added', event: 'change', topology: twoDeployments },
  { name: 'a worker topology is removed', event: 'change', topology: relabelled },
  { name: 'the class gets another template', event: 'template', topology: otherTemplate },
  { name: deleted, event: 'delete' },
];

const threeFromTheStart: StoryTopology = { ...firstTopology, version: 'v1.34.0', controlPlane: 3 };

/** With the extended class. */
export const extendedStories: readonly Story[] = [
  { name: 'a Cluster with three control plane Machines is created', event: 'create', topology: threeFromTheStart },
  { name: 'a Node is no longer ready', event: 'failNode', topology: threeFromTheStart },
  {
    name: 'the version is raised by two minors',
    event: 'change',
    topology: { ...threeFromTheStart, version: 'v1.36.0' },
  },
  { name: deleted, event: 'delete' },
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
  const late = objects.find(object => conditionOf(object, 'Paused') === (topology.paused ? 'False' : 'True'));
  if (late !== undefined) {
    return `Paused of ${late.kind} ${late.metadata.name} is ${conditionOf(late, 'Paused')}`;
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

/** Every Machine has the version, the label and the variable, and a Node. */
function whyNotReplaced(objects: StoryObjects, topology: StoryTopology): string | undefined {
  const { version, controlPlane, workers, moreWorkers: more, note, team, template } = topology;
  const ofKind = (kind: string): StoryObjects => objects.filter(object => object.kind === kind);
  const [machines, configs] = [ofKind('Machine'), ofKind('KubeadmConfig')];
  const isReady = (machine: Unstructured): boolean =>
    valueAt(machine.spec, 'version') === version &&
    machine.metadata.labels?.[teamLabel] === team &&
    conditionOf(machine, 'Available') === 'True' &&
    conditionOf(machine, 'UpToDate') === 'True';
  const runs = (config: Unstructured, field: string, command: string): boolean =>
    JSON.stringify(valueAt(config.spec, field) ?? []).includes(`"${command}"`);
  const isWorker = ({ metadata: { labels = {} } }: Unstructured): boolean => deploymentNameLabel in labels;
  const isCurrent = (config: Unstructured): boolean =>
    runs(config, 'postKubeadmCommands', commandOf(note)) &&
    runs(config, 'preKubeadmCommands', secondCommand) === (template === 'second' && isWorker(config));
  const count = controlPlane + workers + more;
  const counts = [machines.length, machines.filter(isReady).length, configs.filter(isCurrent).length, configs.length];
  return counts.every(each => each === count)
    ? undefined
    : `${counts[0]} Machines, ${counts[1]} ready, ${counts[2]} of ${counts[3]} configurations, ${count} wanted`;
}
