// Copies patched templates back into the desired state. Fields that the topology itself sets cannot be patched.
import {
  type Checked,
  type Intent,
  invalid,
  isJsonObject,
  type JsonObject,
  toDisplayName,
  valid,
} from '@capi-serverless/apimachinery';
import { clusterNameLabel } from '@capi-serverless/cluster-api/contract';
import {
  clonedFromGroupKindAnnotation,
  clonedFromNameAnnotation,
  deploymentNameLabel,
  ownedLabel,
  poolNameLabel,
} from '../../../../shared/topology/model/keys.ts';
import type { Desired } from '../desired/desired-topology.ts';
import { becomesObject, type PatchItem } from './items.ts';

type Path = readonly string[];

/** The destination of a field of a template. */
interface Copy {
  readonly from: Path;
  readonly to: Path;
}

const templateSpec = ['spec', 'template', 'spec'];
const templateLabels = ['spec', 'template', 'metadata', 'labels'];
const templateAnnotations = ['spec', 'template', 'metadata', 'annotations'];
const labels = ['metadata', 'labels'];
const annotations = ['metadata', 'annotations'];

const toObject: readonly Copy[] = [
  { from: templateSpec, to: ['spec'] },
  { from: templateLabels, to: labels },
  { from: templateAnnotations, to: annotations },
];

const toTemplate: readonly Copy[] = [labels, annotations, templateSpec, templateLabels, templateAnnotations].map(
  path => ({ from: path, to: path }),
);

const preserved: readonly Path[] = [
  ...[clusterNameLabel, ownedLabel, deploymentNameLabel, poolNameLabel].map(label => [...labels, label]),
  ...[clonedFromNameAnnotation, clonedFromGroupKindAnnotation].map(annotation => [...annotations, annotation]),
];

/** The fields of both contracts. The actual contract of the control plane does not matter. */
const preservedOfControlPlane: readonly Path[] = [
  ...preserved,
  ...[
    'version',
    'replicas',
    'rollout.after',
    'machineTemplate.metadata',
    'machineTemplate.infrastructureRef',
    'machineTemplate.spec.infrastructureRef',
    'machineTemplate.readinessGates',
    'machineTemplate.spec.readinessGates',
    'machineTemplate.taints',
    'machineTemplate.spec.taints',
    'machineTemplate.nodeDrainTimeout',
    'machineTemplate.nodeVolumeDetachTimeout',
    'machineTemplate.nodeDeletionTimeout',
    'machineTemplate.spec.deletion.nodeDrainTimeoutSeconds',
    'machineTemplate.spec.deletion.nodeVolumeDetachTimeoutSeconds',
    'machineTemplate.spec.deletion.nodeDeletionTimeoutSeconds',
  ].map(path => ['spec', ...path.split('.')]),
];

/** The error names the template and the field that cannot be copied. */
export function writeBack(desired: Desired, items: readonly PatchItem[]): Checked<Desired> {
  const patched = new Map<Intent, Intent>();
  for (const item of items) {
    const intent = toIntent(item);
    if (!intent.ok) {
      return intent;
    }
    patched.set(item.desired, intent.value);
  }
  const now = (intent: Intent): Intent => patched.get(intent) ?? intent;
  const { object, machineTemplate } = desired.controlPlane;
  return valid({
    ...desired,
    infrastructureCluster: now(desired.infrastructureCluster),
    controlPlane: {
      ...desired.controlPlane,
      object: now(object),
      ...(machineTemplate && { machineTemplate: now(machineTemplate) }),
    },
    machineDeployments: mapValues(desired.machineDeployments, worker => ({
      ...worker,
      bootstrapTemplate: now(worker.bootstrapTemplate),
      infrastructureTemplate: now(worker.infrastructureTemplate),
    })),
    machinePools: mapValues(desired.machinePools, worker => ({
      ...worker,
      bootstrapObject: now(worker.bootstrapObject),
      infrastructureObject: now(worker.infrastructureObject),
    })),
  });
}

function mapValues<T>(map: ReadonlyMap<string, T>, change: (value: T) => T): ReadonlyMap<string, T> {
  return new Map([...map].map(([key, value]) => [key, change(value)]));
}

function toIntent({ role, kind, holder, desired, draft }: PatchItem): Checked<Intent> {
  const template = draft.share();
  let intent: JsonObject = desired;
  for (const { from, to } of becomesObject(role) ? toObject : toTemplate) {
    const copied = toCopy(template, from);
    if (!copied.ok) {
      const where = `.${from.join('.')} of ${kind} of ${holder.kind} ${toDisplayName(holder)}`;
      return invalid(`failed to copy ${where}: ${copied.error}`);
    }
    intent = copied.value === undefined ? intent : withField(intent, to, copied.value);
  }
  for (const path of role.is === 'controlPlane' ? preservedOfControlPlane : preserved) {
    const value = path.reduce<unknown>((object, key) => (isJsonObject(object) ? object[key] : undefined), desired);
    intent = value === undefined ? intent : withField(intent, path, value);
  }
  // True: kind, apiVersion and name are those of the desired object, and labels and annotations are objects.
  return valid(intent as Intent);
}

/** Copies only objects. Returns undefined if the value is missing, and an empty object for null. */
function toCopy(template: JsonObject, path: Path): Checked<JsonObject | undefined> {
  let value: unknown = template;
  for (const [index, key] of path.entries()) {
    if (!isJsonObject(value)) {
      return invalid(`.${path.slice(0, index).join('.')} is not an object`);
    }
    if (!Object.hasOwn(value, key)) {
      return valid(undefined);
    }
    value = value[key] ?? {};
  }
  return isJsonObject(value) ? valid(value) : invalid('it is not an object');
}

/** A value on the path that is not an object is replaced by an object. */
function withField(object: unknown, [key = '', ...rest]: Path, value: unknown): JsonObject {
  const members = isJsonObject(object) ? object : {};
  return { ...members, [key]: rest.length === 0 ? value : withField(members[key], rest, value) };
}
