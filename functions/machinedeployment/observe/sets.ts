// Reads the MachineSets of the namespace, then the Machines of the deployment. In this order, a Machine that a MachineSet
// counts is in the list of Machines.

import {
  type Answer,
  answered,
  isEmptySelector,
  matchesLabels,
  type Reads,
  selectorProblem,
} from '@capi-serverless/apimachinery';
import { isDeleting } from '@capi-serverless/reconciler';
import { clusterApiVersion } from '../../../shared/api/cluster/reader.ts';
import { readWholeMachine, type WholeMachine } from '../../../shared/api/machine/whole-machine.ts';
import type { WholeMachineDeployment } from '../../../shared/api/machine-deployment/whole-machine-deployment.ts';
import { readWholeMachineSet } from '../../../shared/api/machine-set/whole-machine-set.ts';
import { controllerUid } from '../../../shared/machine-collections/controller-uid.ts';
import type { SetsRead } from '../seen.ts';

/** The list covers the namespace: a MachineSet may have lost its labels. */
export async function readSets(deployment: WholeMachineDeployment, ask: Reads): Promise<SetsRead> {
  const { namespace } = deployment.metadata;
  const { selector } = deployment.spec;
  const problem = selectorProblem(selector);
  if (problem !== undefined) {
    const text = `failed to compute label selector from MachineDeployment.spec.selector: ${problem}`;
    return { state: 'failed', problem: `failed to get MachineSets: ${text}` };
  }
  if (isEmptySelector(selector)) {
    const text = 'label selector computed from MachineDeployment.spec.selector is empty';
    return { state: 'failed', problem: `failed to get MachineSets: ${text}` };
  }
  const answer = await ask.list({ apiVersion: clusterApiVersion, kind: 'MachineSet', namespace });
  if (!answer.ok) {
    return { state: 'failed', problem: answer.failure.message };
  }
  const sets = answer.value.map(readWholeMachineSet);
  return {
    state: 'listed',
    owned: sets.filter(set => controllerUid(set.metadata) === deployment.metadata.uid),
    // A deployment in deletion adopts nothing. Otherwise its MachineSets could not be kept.
    orphans: isDeleting(deployment)
      ? []
      : sets.filter(set => controllerUid(set.metadata) === undefined && matchesLabels(selector, set.metadata.labels)),
    names: new Set(sets.map(({ metadata }) => metadata.name)),
  };
}

/** The labels of the selector limit the list, so that Machines of other deployments are not transferred. */
export async function readMachines(
  { metadata: { namespace }, spec: { selector } }: WholeMachineDeployment,
  ask: Reads,
): Promise<Answer<readonly WholeMachine[]>> {
  const answer = await ask.list({
    apiVersion: clusterApiVersion,
    kind: 'Machine',
    namespace,
    labels: selector.matchLabels,
  });
  return answer.ok
    ? answered(answer.value.map(readWholeMachine).filter(({ metadata }) => matchesLabels(selector, metadata.labels)))
    : answer;
}
