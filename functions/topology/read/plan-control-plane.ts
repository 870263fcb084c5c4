// The writes for a control plane: its health check, the template of its machines, the object itself, the template before.

import { type ObjectRef, toDisplayName, toRef, type Unstructured } from '../../../shared/api/object.ts';
import { clusterNameLabel } from '../../../shared/contract/owner-references.ts';
import { setAt } from '../../../shared/contract/path.ts';
import { deleteStep, inOrder, nothingToDo, type Plan, type Step } from '../../../shared/topology/changes/step.ts';
import { nameObject } from '../../../shared/topology/changes/words.ts';
import { controlPlanePaths } from '../../../shared/topology/desired/control-plane-paths.ts';
import { emptyEndpointPaths } from '../../../shared/topology/intent/filter.ts';
import { ownedLabel, replacesAnnotation } from '../../../shared/topology/model/keys.ts';
import type { ChangesInput } from './changes.ts';
import { planHealthCheck } from './plan-health-check.ts';
import { type PlanAsk, type PlannedTemplate, planObject, planTemplate } from './plan-object.ts';

/** While the control plane waits for an upgrade, its health check alone is looked after. */
export async function planControlPlane(input: ChangesInput, ask: PlanAsk): Promise<Plan> {
  const { current, desired, versions } = input;
  const [healthCheck, rest] = await Promise.all([
    planHealthCheck({ current: current.controlPlane.healthCheck, desired: desired.controlPlane.healthCheck }, ask),
    versions.controlPlane.isPendingUpgrade ? [] : planMachines(input, ask),
  ]);
  return inOrder([healthCheck, ...rest]);
}

async function planMachines(input: ChangesInput, ask: PlanAsk): Promise<readonly Plan[]> {
  const { blueprint, current, desired, names } = input;
  const wanted = desired.controlPlane.machineTemplate;
  const before = current.controlPlane.machineTemplate;
  const template =
    wanted === undefined
      ? undefined
      : await planTemplate(
          {
            ...{ cluster: blueprint.cluster, role: 'ControlPlaneMachineTemplate', topologyName: '', must: 'sameKind' },
            marksSuccessor: true,
            desired: wanted,
            current: before ?? names.controlPlaneMachineTemplate?.existing,
          },
          ask,
        );
  const refPath = `${controlPlanePaths[blueprint.controlPlane.contract].infrastructureRef}.name`;
  const { object } = desired.controlPlane;
  const renamed = template?.isRotated === true ? setAt(object, refPath, template.name) : object;
  const plan = await planObject(
    {
      desired: renamed,
      current: current.controlPlane.object ?? names.controlPlane.existing,
      must: 'strict',
      ignored: emptyEndpointPaths(renamed),
      versionAt: 'spec.version',
      isReferrer: true,
    },
    ask,
  );
  const leftOver = await planLeftOver(before, ask);
  return [leftOver, template?.plan ?? nothingToDo, plan, removePredecessor(input, template, plan)];
}

/** Nothing refers to it any more once the control plane refers to its successor; then the successor needs no mark. */
function removePredecessor(
  { current, desired }: ChangesInput,
  template: PlannedTemplate | undefined,
  plan: Plan,
): Plan {
  const before = current.controlPlane.machineTemplate;
  if (template?.isRotated !== true || before === undefined || plan.failure !== undefined) {
    return nothingToDo;
  }
  const { kind, metadata } = desired.controlPlane.object;
  const what = `failed to delete old ${nameObject(before)} of ${kind} ${toDisplayName(metadata)}`;
  const ref = { ...toRef(before), name: template.name };
  return {
    steps: [deleteStep(before, { toProblem: ({ message }) => `${what}: ${message}` }), unmarkStep(ref)],
  };
}

function unmarkStep(ref: ObjectRef): Step {
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
 * A pass that ended between the write of the control plane and the end of the old template left the mark on the new one. What
 * takes the mark off is the apply of the template, which knows of none; it comes after this.
 */
async function planLeftOver(template: Unstructured | undefined, ask: PlanAsk): Promise<Plan> {
  const name = template?.metadata.annotations?.[replacesAnnotation];
  if (template === undefined || name === undefined || name === template.metadata.name) {
    return nothingToDo;
  }
  const ref = { ...toRef(template), name };
  const answer = await ask.get(ref);
  if (!answer.ok) {
    const failure = `failed to retrieve ${ref.kind} ${toDisplayName(ref)}: ${answer.failure.message}`;
    return answer.missing ? nothingToDo : { steps: [], failure };
  }
  const { labels = {} } = answer.value.metadata;
  const isOurs =
    Object.hasOwn(labels, ownedLabel) && labels[clusterNameLabel] === template.metadata.labels?.[clusterNameLabel];
  const what = `failed to delete old ${nameObject(answer.value)}`;
  return isOurs
    ? { steps: [deleteStep(answer.value, { toProblem: ({ message }) => `${what}: ${message}` })] }
    : nothingToDo;
}
