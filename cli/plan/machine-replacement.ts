// Whether a write replaces Machines: the rollout of a MachineDeployment, a MachinePool or a control plane. Pure.
import {
  groupOf,
  isJsonObject,
  type JsonObject,
  sameJson,
  toRecord,
  type Unstructured,
  valueAt,
} from '@capi-serverless/apimachinery';
import { readMachineTemplate } from '../../shared/api/machine/template-owner.ts';
import type { PlannedWrite, Preview } from '../../shared/explain/face.ts';
import { templateDifferences } from '../../shared/machine-collections/template-differences.ts';

const coreGroup = 'cluster.x-k8s.io';

/** Kinds of Cluster API that replace Machines if their template changes. */
const rollingKinds: readonly string[] = ['MachineDeployment', 'MachinePool'];

/** Fields of a control plane whose change replaces no Machine. Of `machineTemplate`, only these are changed in place. */
const inPlaceFields: readonly string[] = [
  'replicas',
  'rollout',
  'rolloutStrategy',
  'remediation',
  'remediationStrategy',
];
const inPlaceTemplateFields: readonly string[] = [
  'metadata',
  ...['nodeDrainTimeout', 'nodeVolumeDetachTimeout', 'nodeDeletionTimeout', 'readinessGates'],
];
const inPlaceTemplateSpecFields: readonly string[] = ['deletion', 'readinessGates', 'taints'];

/**
 * Returns why a write replaces Machines, or `undefined` if it replaces none. Of a control plane, each change counts that
 * is not known to be made in place. An object without replicas has no Machines.
 */
export function replacementBy({
  before,
  after,
  subresource,
}: Pick<PlannedWrite, 'before' | 'after' | 'subresource'>): string | undefined {
  if (before === undefined || after === undefined || subresource !== undefined || hasNoMachines(before)) {
    return undefined;
  }
  if (groupOf(before.apiVersion) === coreGroup) {
    return rollingKinds.includes(before.kind) ? workerReplacement(before, after) : undefined;
  }
  return isControlPlane(before) && isControlPlane(after) ? controlPlaneReplacement(before, after) : undefined;
}

/** Returns why a rollout in a preview of `plan machinedeployment` replaces Machines. */
export function replacementIn({ data }: Preview): string | undefined {
  const replaced = valueAt(data, 'rollout.replaced');
  const steps = valueAt(data, 'rollout.steps');
  const isRolling = Array.isArray(steps) && steps.length > 0;
  const causes = (Array.isArray(replaced) && isRolling ? replaced : [])
    .filter(set => isJsonObject(set) && set['how'] === 'replacement' && set['replicas'] !== 0)
    .map(({ set, because }) => `Machines of MachineSet ${set}: ${because.join(', ')}`);
  return causes.length === 0 ? undefined : causes.join('; ');
}

function hasNoMachines({ spec }: Unstructured): boolean {
  return toRecord(spec)['replicas'] === 0;
}

function workerReplacement(before: Unstructured, after: Unstructured): string | undefined {
  const isOnDelete = valueAt(after.spec, 'rollout.strategy.type') === 'OnDelete';
  const [current, desired] = [readMachineTemplate(before.spec), readMachineTemplate(after.spec)];
  const differences = isOnDelete ? [] : templateDifferences(current, desired);
  return differences.length === 0 ? undefined : differences.map(({ message }) => message).join(', ');
}

/** Only a control plane with Machines has `spec.machineTemplate`. */
function isControlPlane({ spec }: Unstructured): boolean {
  const { version, machineTemplate } = toRecord(spec);
  return typeof version === 'string' && isJsonObject(machineTemplate);
}

function controlPlaneReplacement(before: Unstructured, after: Unstructured): string | undefined {
  const [current, desired] = [before, after].map(({ spec }) => toRollingParts(toRecord(spec)));
  const fields = Object.keys({ ...current, ...desired }).filter(field => !sameJson(current?.[field], desired?.[field]));
  return fields.length === 0
    ? undefined
    : `spec.${fields.join(', spec.')} of its Machines ${fields.length === 1 ? 'changes' : 'change'}`;
}

function toRollingParts({ machineTemplate, ...spec }: JsonObject): JsonObject {
  const { spec: template, ...others } = toRecord(machineTemplate);
  return {
    ...without(spec, inPlaceFields),
    machineTemplate: {
      ...without(others, inPlaceTemplateFields),
      spec: without(toRecord(template), inPlaceTemplateSpecFields),
    },
  };
}

function without(object: JsonObject, fields: readonly string[]): JsonObject {
  return Object.fromEntries(Object.entries(object).filter(([field]) => !fields.includes(field)));
}
