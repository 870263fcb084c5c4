// The writes for a control plane: its health check, its machine template, the object, and the deletion of its previous
// template.

import { type ObjectRef, toDisplayName, toRef, type Unstructured } from '@capi-serverless/apimachinery';
import { clusterNameLabel, setAt } from '@capi-serverless/cluster-api/contract';
import { type AskingPlan, ask, together } from '@capi-serverless/reconciler';
import { ownedLabel, replacesAnnotation } from '../../../../shared/topology/model/keys.ts';
import { nameObject } from '../change-texts.ts';
import { controlPlanePaths } from '../desired/control-plane-paths.ts';
import { emptyEndpointPaths } from '../intent/filter.ts';
import type { DryRunQuestion, GetQuestion, ReadQuestion } from '../questions.ts';
import type { ChangesInput } from './changes-input.ts';
import { planHealthCheck } from './health-check-change.ts';
import { type ObjectChange, planObject } from './object-change.ts';
import { deleteStep, inOrder, nothingToDo, type PlannedWrites, type PlanStep } from './step.ts';
import { type PlannedTemplate, planTemplate, type TemplateChange } from './template-change.ts';

/** While the upgrade of the control plane is pending, only its health check is written. */
export function* planControlPlane(input: ChangesInput): AskingPlan<DryRunQuestion | ReadQuestion, PlannedWrites> {
  const { current, desired } = input;
  const [healthCheck, rest] = yield* together([
    planHealthCheck({ current: current.controlPlane.healthCheck, desired: desired.controlPlane.healthCheck }),
    planMachines(input),
  ]);
  return inOrder([healthCheck, ...rest]);
}

function* planMachines(input: ChangesInput): AskingPlan<DryRunQuestion | ReadQuestion, readonly PlannedWrites[]> {
  const { versions, current } = input;
  if (versions.controlPlane.isPendingUpgrade) {
    return [];
  }
  const change = toMachineTemplateChange(input);
  const template = change && (yield* planTemplate(change));
  const object = yield* planObject(toControlPlaneChange(input, template));
  const leftOver = yield* planLeftOver(current.controlPlane.machineTemplate);
  return [leftOver, template?.plan ?? nothingToDo, object, planPredecessor(input, template, object)];
}

/** Returns undefined if the class has no control plane machine infrastructure. */
function toMachineTemplateChange({ blueprint, current, desired, names }: ChangesInput): TemplateChange | undefined {
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
function toControlPlaneChange(
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
function planPredecessor(
  { current, desired }: ChangesInput,
  template: PlannedTemplate | undefined,
  controlPlane: PlannedWrites,
): PlannedWrites {
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
 * apply comes after the deletion. The old template is deleted if it belongs to the topology of the same Cluster.
 */
function* planLeftOver(template: Unstructured | undefined): AskingPlan<GetQuestion, PlannedWrites> {
  const name = template?.metadata.annotations?.[replacesAnnotation];
  if (template === undefined || name === undefined || name === template.metadata.name) {
    return nothingToDo;
  }
  const ref = { ...toRef(template), name };
  const answer = yield* ask<GetQuestion>('get', ref);
  if (!answer.ok) {
    const failure = `failed to retrieve ${ref.kind} ${toDisplayName(ref)}: ${answer.failure.message}`;
    return answer.missing ? nothingToDo : { steps: [], failure };
  }
  const old = answer.value;
  const { labels = {} } = old.metadata;
  const isOurs =
    Object.hasOwn(labels, ownedLabel) && labels[clusterNameLabel] === template.metadata.labels?.[clusterNameLabel];
  return isOurs ? { steps: [deleteTemplate(old, `failed to delete old ${nameObject(old)}`)] } : nothingToDo;
}
