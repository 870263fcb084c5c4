// Why the topology reconciler does what it does, in words: from the action and from what the reconciler saw. Pure.
import { bookkeepingId, clusterId } from '../../../functions/topology/decide.ts';
import type { Planned, Seen } from '../../../functions/topology/seen.ts';
import { quote } from '../../../shared/api/field-error.ts';
import { isJsonObject } from '../../../shared/api/json.ts';
import { type Intent, toDisplayName, type Unstructured } from '../../../shared/api/object.ts';
import { valueAt } from '../../../shared/kernel/merge-diff.ts';
import {
  clonedFromGroupKindAnnotation,
  clonedFromNameAnnotation,
  deploymentNameLabel,
  poolNameLabel,
} from '../../../shared/topology/model/keys.ts';
import { changesOf } from './changes.ts';
import type { Because } from './plan.ts';

/** `undefined` for an action that this does not know. */
export function whyOfTopology(because: Because<Seen>): string | undefined {
  const { action, seen, write } = because;
  if (seen.repairs.length > 0) {
    return 'nobody knows which of its fields the topology owns; without that none of them would ever be taken away';
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

/** The template whose place a new one takes: templates are never changed in place. */
export function replacedBy({ action, write, seen }: Because<Seen>): Unstructured | undefined {
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
      : ['its class has defaults for variables that it does not set']),
    ...(valueAt(body, 'metadata.annotations') === undefined
      ? []
      : ['what hooks said, and which ones are owed, is kept before anything else is written']),
  ];
  return reasons.join('; ');
}

function whyCluster(body: unknown): string {
  const parts = [
    ...(valueAt(body, 'spec.infrastructureRef') === undefined ? [] : ['its infrastructure']),
    ...(valueAt(body, 'spec.controlPlaneRef') === undefined ? [] : ['its control plane']),
    ...(valueAt(body, 'metadata.labels') === undefined ? [] : ['that a topology owns it']),
    ...(valueAt(body, 'metadata.annotations') === undefined ? [] : ['which upgrade step it is at']),
  ];
  return `it shall tell ${parts.join(', ')}`;
}

function whyDeleted(kind: string, id: string): string {
  if (id.startsWith('take back ')) {
    return 'the write that would have referred to it failed, and nothing names it';
  }
  switch (kind) {
    case 'MachineHealthCheck':
      return 'neither topology nor class want a health check here any more';
    case 'MachineDeployment':
    case 'MachinePool':
      return `the topology names no such ${kind} any more`;
    default:
      return 'another one has taken its place';
  }
}

function whyWritten({ action, write, seen }: Because<Seen>): string | undefined {
  if (action.do !== 'apply') {
    if (action.id.startsWith('unmark ')) {
      return 'the template before it is gone, and the note that named it with it';
    }
    return action.do === 'create'
      ? 'it owns infrastructure and control plane until the Cluster names them, so that none is left behind'
      : undefined;
  }
  const { kind, metadata } = action.object;
  if (write?.before !== undefined) {
    const paths = changesOf(write.before, write.after, kind).map(({ path }) => path);
    return `the topology wants another value of ${paths.join(', ')}`;
  }
  const replaced = replacedBy({ action, write, seen });
  if (replaced !== undefined) {
    return `the spec of ${kind} ${toDisplayName(replaced.metadata)} shall change, and a template is changed by a new one`;
  }
  const worker = topologyNameOf(metadata.labels) || topologyNameOf(selectedBy(action.object));
  const what = worker === '' ? `the topology has no ${kind} yet` : `workers ${quote(worker)} have no ${kind} yet`;
  return `${what}${originOf(metadata.annotations)}`;
}

function originOf(annotations: Readonly<Record<string, string>> = {}): string {
  const name = annotations[clonedFromNameAnnotation];
  const [kind = ''] = (annotations[clonedFromGroupKindAnnotation] ?? '').split('.');
  return name === undefined ? '' : `; it is made from ${kind} ${name} of the class`;
}

/** A health check tells in its selector whose Machines it checks. */
function selectedBy(object: Intent): Readonly<Record<string, string>> {
  const selected = valueAt(object['spec'], 'selector.matchLabels');
  const labels = isJsonObject(selected) ? Object.entries(selected) : [];
  return Object.fromEntries(labels.map(([label, value]) => [label, String(value)]));
}

function topologyNameOf(labels: Readonly<Record<string, string>> = {}): string {
  return labels[deploymentNameLabel] ?? labels[poolNameLabel] ?? '';
}
