// The writes for a control plane: its machine template, the object, and the deletion of its previous template.

import { type Answer, type ObjectRef, toDisplayName, toRef, type Unstructured } from '@capi-serverless/apimachinery';
import { clusterNameLabel, setAt } from '@capi-serverless/cluster-api/contract';
import { ownedLabel, replacesAnnotation } from '../../../../shared/topology/model/keys.ts';
import { nameObject } from '../change-texts.ts';
import { controlPlanePaths } from '../desired/control-plane-paths.ts';
import { emptyEndpointPaths } from '../intent/filter.ts';
import type { ChangesInput } from './changes-input.ts';
import type { ObjectChange } from './object-change.ts';
import { deleteStep, nothingToDo, type PlanStep, type TopologyPlan } from './step.ts';
import type { PlannedTemplate, TemplateChange } from './template-change.ts';

/** Returns undefined if the class has no control plane machine infrastructure. */
export function toMachineTemplateChange({
  blueprint,
  current,
  desired,
  names,
}: ChangesInput): TemplateChange | undefined {
  const wanted = desired.controlPlane.machineTemplate;
  return (
    wanted && {
      cluster: blueprint.cluster,
      role: 'ControlPlaneMachineTemplate',
      topologyName: '',
      must: 'sameKind',
      marksSuccessor: true,
      desired: wanted,
      current: current.controlPlane.machineTemplate ?? names.controlPlaneMachineTemplate?.existing,
    }
  );
}

/** The control plane with the planned name of its machine template. */
export function toControlPlaneChange(
  { blueprint, current, desired, names }: ChangesInput,
  template: PlannedTemplate | undefined,
): ObjectChange {
  const { object } = desired.controlPlane;
  const refPath = `${controlPlanePaths[blueprint.controlPlane.contract].infrastructureRef}.name`;
  const renamed = template?.isRotated === true ? setAt(object, refPath, template.name) : object;
  return {
    desired: renamed,
    current: current.controlPlane.object ?? names.controlPlane.existing,
    must: 'strict',
    ignored: emptyEndpointPaths(renamed),
    versionAt: 'spec.version',
    isReferrer: true,
  };
}

/**
 * When the control plane references the new template, the old template is deleted. Then the annotation of the new
 * template is removed.
 */
export function planPredecessor(
  { current, desired }: ChangesInput,
  template: PlannedTemplate | undefined,
  controlPlane: TopologyPlan,
): TopologyPlan {
  const before = current.controlPlane.machineTemplate;
  if (template?.isRotated !== true || before === undefined || controlPlane.failure !== undefined) {
    return nothingToDo;
  }
  const { kind, metadata } = desired.controlPlane.object;
  const what = `failed to delete old ${nameObject(before)} of ${kind} ${toDisplayName(metadata)}`;
  return { steps: [deleteTemplate(before, what), unmarkStep({ ...toRef(before), name: template.name })] };
}

function deleteTemplate(template: Unstructured, what: string): PlanStep {
  return deleteStep(template, { toProblem: ({ message }) => `${what}: ${message}` });
}

function unmarkStep(ref: ObjectRef): PlanStep {
  return {
    toProblem: ({ message }) => `failed to patch ${ref.kind} ${toDisplayName(ref)}: ${message}`,
    action: {
      id: `unmark ${ref.kind} ${ref.name}`,
      onError: 'continue',
      do: 'patch',
      ref,
      body: { metadata: { annotations: { [replacesAnnotation]: null } } },
    },
  };
}

/**
 * A pass may end between the write of the control plane and the deletion of the old template. Then the new template
 * still has the annotation. The next apply of the template removes it, because the intent does not contain it. This
 * apply comes after the deletion.
 */
export function leftOverOf(template: Unstructured | undefined): ObjectRef | undefined {
  const name = template?.metadata.annotations?.[replacesAnnotation];
  return template === undefined || name === undefined || name === template.metadata.name
    ? undefined
    : { ...toRef(template), name };
}

/** Deletes the old template if it belongs to the topology of the same Cluster. */
export function planLeftOver(template: Unstructured, ref: ObjectRef, answer: Answer<Unstructured>): TopologyPlan {
  if (!answer.ok) {
    const failure = `failed to retrieve ${ref.kind} ${toDisplayName(ref)}: ${answer.failure.message}`;
    return answer.missing ? nothingToDo : { steps: [], failure };
  }
  const { labels = {} } = answer.value.metadata;
  const isOurs =
    Object.hasOwn(labels, ownedLabel) && labels[clusterNameLabel] === template.metadata.labels?.[clusterNameLabel];
  return isOurs
    ? { steps: [deleteTemplate(answer.value, `failed to delete old ${nameObject(answer.value)}`)] }
    : nothingToDo;
}
