// Describes the reason of each action of the topology reconciler. Derived from the action and the observation. Pure.

import {
  type Intent,
  isJsonObject,
  quote,
  toDisplayName,
  type Unstructured,
  valueAt,
} from '@capi-serverless/apimachinery';
import type { ExplainedAction } from '../../shared/explain/face.ts';
import {
  clonedFromGroupKindAnnotation,
  clonedFromNameAnnotation,
  deploymentNameLabel,
  poolNameLabel,
} from '../../shared/topology/model/keys.ts';
import { bookkeepingId, clusterId } from './decide.ts';
import type { Planned, TopologySeen } from './seen.ts';

/** Returns `undefined` for an unknown action. */
export function whyOfTopology(because: ExplainedAction<TopologySeen>): string | undefined {
  const { action, seen, write } = because;
  if (seen.repairs.length > 0) {
    return 'its managed fields do not list the fields that the topology owns, so server-side apply could not remove them';
  }
  switch (action.id) {
    case bookkeepingId:
      return whyBookkept(write?.body);
    case clusterId:
      return whyCluster(write?.body);
    default:
      return action.do === 'delete' ? whyDeleted(action.ref.kind, action.id) : whyWritten(because);
  }
}

/** The template that a new one replaces. The spec of a template never changes in place. */
export function replacedBy({ action, write, seen }: ExplainedAction<TopologySeen>): Unstructured | undefined {
  if (action.do !== 'apply' || seen.planned === undefined || write?.before !== undefined) {
    return undefined;
  }
  const { kind, metadata } = action.object;
  return templatesOf(seen.planned, topologyNameOf(metadata.labels)).find(
    template => template?.kind === kind && template.metadata.name !== metadata.name,
  );
}

function templatesOf({ current }: Planned, topologyName: string): readonly (Unstructured | undefined)[] {
  const worker = current.machineDeployments.get(topologyName);
  return topologyName === ''
    ? [current.controlPlane.machineTemplate]
    : [worker?.bootstrapTemplate, worker?.infrastructureTemplate];
}

function whyBookkept(body: unknown): string {
  const reasons = [
    ...(valueAt(body, 'spec.topology') === undefined
      ? []
      : ['its ClusterClass has defaults for variables that are not set']),
    ...(valueAt(body, 'metadata.annotations') === undefined
      ? []
      : ['hook responses and pending hooks are recorded before any other write']),
  ];
  return reasons.join('; ');
}

function whyCluster(body: unknown): string {
  const parts = [
    ...(valueAt(body, 'spec.infrastructureRef') === undefined ? [] : ['the reference to its infrastructure']),
    ...(valueAt(body, 'spec.controlPlaneRef') === undefined ? [] : ['the reference to its control plane']),
    ...(valueAt(body, 'metadata.labels') === undefined ? [] : ['the label of managed topologies']),
    ...(valueAt(body, 'metadata.annotations') === undefined ? [] : ['the current step of its upgrade']),
  ];
  return `it lacks the current value of ${parts.join(', ')}`;
}

function whyDeleted(kind: string, id: string): string {
  if (id.startsWith('take back ')) {
    return 'the write of the reference to it failed, and no object references it';
  }
  switch (kind) {
    case 'MachineHealthCheck':
      return 'neither the topology nor the class defines a health check here';
    case 'MachineDeployment':
    case 'MachinePool':
      return `the topology no longer contains this ${kind}`;
    default:
      return 'another object replaces it';
  }
}

function whyWritten({ action, write, changedPaths, seen }: ExplainedAction<TopologySeen>): string | undefined {
  if (action.do !== 'apply') {
    if (action.id.startsWith('unmark ')) {
      return 'the previous template is deleted, so the annotation that references it is removed';
    }
    return action.do === 'create'
      ? 'it owns the infrastructure and the control plane until the Cluster owns them, so that the deletion of the Cluster also deletes them'
      : undefined;
  }
  const { kind, metadata } = action.object;
  if (write?.before !== undefined) {
    return `the topology sets another value of ${changedPaths.join(', ')}`;
  }
  const replaced = replacedBy({ action, write, changedPaths, seen });
  if (replaced !== undefined) {
    return `the spec of ${kind} ${toDisplayName(replaced.metadata)} must change, and a new template replaces it`;
  }
  const worker = topologyNameOf(metadata.labels) || topologyNameOf(selectedBy(action.object));
  const what = worker === '' ? `the topology has no ${kind} yet` : `workers ${quote(worker)} have no ${kind} yet`;
  return `${what}${originOf(metadata.annotations)}`;
}

function originOf(annotations: Readonly<Record<string, string>> = {}): string {
  const name = annotations[clonedFromNameAnnotation];
  const [kind = ''] = (annotations[clonedFromGroupKindAnnotation] ?? '').split('.');
  return name === undefined ? '' : `; it is cloned from ${kind} ${name} of the class`;
}

/** The selector of a health check selects the workers whose Machines are checked. */
function selectedBy(object: Intent): Readonly<Record<string, string>> {
  const selected = valueAt(object['spec'], 'selector.matchLabels');
  const labels = isJsonObject(selected) ? Object.entries(selected) : [];
  return Object.fromEntries(labels.map(([label, value]) => [label, String(value)]));
}

function topologyNameOf(labels: Readonly<Record<string, string>> = {}): string {
  return labels[deploymentNameLabel] ?? labels[poolNameLabel] ?? '';
}
