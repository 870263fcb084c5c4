// Plans the writes for a control plane. Sends the API requests that the plan requires.

import type { Unstructured } from '@capi-serverless/apimachinery';
import type { ChangesInput } from '../../plan/changes/changes-input.ts';
import {
  leftOverOf,
  planLeftOver,
  planPredecessor,
  toControlPlaneChange,
  toMachineTemplateChange,
} from '../../plan/changes/control-plane-change.ts';
import { inOrder, nothingToDo, type TopologyPlan } from '../../plan/changes/step.ts';
import { type PlanAsk, planHealthCheck, planObject, planTemplate } from './plan-object.ts';

/** While the upgrade of the control plane is pending, only its health check is written. */
export async function planControlPlane(input: ChangesInput, ask: PlanAsk): Promise<TopologyPlan> {
  const { current, desired, versions } = input;
  const [healthCheck, rest] = await Promise.all([
    planHealthCheck({ current: current.controlPlane.healthCheck, desired: desired.controlPlane.healthCheck }, ask),
    versions.controlPlane.isPendingUpgrade ? [] : planMachines(input, ask),
  ]);
  return inOrder([healthCheck, ...rest]);
}

async function planMachines(input: ChangesInput, ask: PlanAsk): Promise<readonly TopologyPlan[]> {
  const change = toMachineTemplateChange(input);
  const template = change && (await planTemplate(change, ask));
  const object = await planObject(toControlPlaneChange(input, template), ask);
  const leftOver = await readLeftOver(input.current.controlPlane.machineTemplate, ask);
  return [leftOver, template?.plan ?? nothingToDo, object, planPredecessor(input, template, object)];
}

async function readLeftOver(template: Unstructured | undefined, ask: PlanAsk): Promise<TopologyPlan> {
  const ref = leftOverOf(template);
  return template === undefined || ref === undefined ? nothingToDo : planLeftOver(template, ref, await ask.get(ref));
}
