// Reads what the deletion of a Machine would need at each of its steps, and what keeps Pods from being evicted. `plan`
// reads more than a pass does, and writes nothing.
import { type Checked, invalid, type Reads, type Unstructured, valid } from '@capi-serverless/apimachinery';
import { answerQuestions, type EarlyEnd, isDeleting, isEarlyEnd, type Pass } from '@capi-serverless/reconciler';
import { readWholeMachine } from '../../../shared/api/machine/whole-machine.ts';
import { type PodDisruptionBudget, readPodDisruptionBudget } from '../../../shared/api/pod-disruption-budget/reader.ts';
import { conditionOf } from '../../../shared/explain/conditions.ts';
import type { Preview } from '../../../shared/explain/face.ts';
import type { WorkloadReads } from '../../../shared/workload/api.ts';
import { openWorkload } from '../../../shared/workload/open-workload.ts';
import { unconnectedReads } from '../../../shared/workload/unconnected.ts';
import { type Asking, deletionAnswers } from '../observe/deletion.ts';
import { type FoundNode, findNode, nodeToRemove } from '../observe/find-node.ts';
import type { MachinePorts } from '../observe.ts';
import type { DeletionScope } from '../phases/deletion/deletion-scope.ts';
import { isCompleted } from '../phases/deletion/plan-deletion.ts';
import { searchedProviderId } from '../phases/infrastructure.ts';
import { isDead } from '../phases/node/connection.ts';
import { toTarget } from '../phases/target.ts';
import type { MachinePlan } from '../plan.ts';
import { previewDeletion } from './deletion-preview.ts';
import { askForPreview } from './preview-questions.ts';
import { toPreviewLines } from './preview-text.ts';

interface Previewing {
  readonly ask: Reads & MachinePorts;
  readonly pass: Pass;
  /** The Machine after the planned writes. */
  readonly after: Unstructured;
}

/** Returns `undefined` if the pass did not read the Machine's objects, or if its deletion is complete. */
export async function previewOfMachine(
  plan: MachinePlan | EarlyEnd,
  previewing: Previewing,
): Promise<Preview | undefined> {
  const machine = readWholeMachine(previewing.after);
  if (isEarlyEnd(plan) || isCompleted(machine)) {
    return undefined;
  }
  const { scope, asking } = await openScope(plan, machine, previewing);
  const facts = await answerQuestions(askForPreview(scope), deletionAnswers(scope, asking));
  const preview = previewDeletion({
    ...facts,
    scope,
    isDeleting: isDeleting(machine),
    stage: conditionOf(previewing.after, 'Deleting')?.reason,
    budgets: facts.pods?.ok === true ? await readBudgets(facts.pods.value, asking.workload) : valid([]),
  });
  const { namespace, name } = machine.metadata;
  const subject = `Machine ${namespace}/${name}`;
  return {
    title: preview.isDeleting ? `The deletion of ${subject}` : `What a deletion of ${subject} would do now`,
    lines: toPreviewLines(preview),
    data: { deletion: preview },
  };
}

async function openScope(
  { scope: { cluster, settings, connection, externals, now } }: MachinePlan,
  machine: DeletionScope['machine'],
  { ask, pass }: Previewing,
): Promise<{ readonly scope: DeletionScope; readonly asking: Asking }> {
  const infrastructure = externals.infrastructure.scoped;
  const providerID = searchedProviderId(machine.spec.providerID, { machine, infrastructure });
  const isAsked = cluster !== undefined && (providerID !== '' || machine.status.nodeRef.name !== '');
  const workload = isAsked ? await openWorkload(cluster, ask, pass) : unconnectedReads('the Machine has no Node');
  const found: FoundNode = isAsked
    ? await findNode(machine, providerID, workload)
    : { lookup: { state: 'noProviderID' }, namedNode: { state: 'gone' } };
  const scope: DeletionScope = {
    machine,
    cluster,
    infrastructure,
    bootstrap: externals.bootstrap.scoped,
    ...nodeToRemove(machine, found),
    lookup: found.lookup,
    isConnectionDead: isDead(connection, now),
    target: toTarget(cluster),
    settings,
    now,
  };
  return { scope, asking: { ask, workload, pass } };
}

/** Up to this number of namespaces, the budgets of each are listed. */
const mostSingleLists = 10;

async function readBudgets(
  pods: readonly { readonly pod: { readonly metadata: { readonly namespace: string } } }[],
  workload: WorkloadReads,
): Promise<Checked<readonly PodDisruptionBudget[]>> {
  const namespaces = [...new Set(pods.map(({ pod }) => pod.metadata.namespace))];
  const query = { apiVersion: 'policy/v1', kind: 'PodDisruptionBudget' };
  const queries =
    namespaces.length > mostSingleLists ? [query] : namespaces.map(namespace => ({ ...query, namespace }));
  const lists = await Promise.all(queries.map(each => workload.list(each)));
  const budgets: PodDisruptionBudget[] = [];
  for (const list of lists) {
    if (!list.ok) {
      return invalid(list.failure.message);
    }
    budgets.push(...list.value.map(readPodDisruptionBudget));
  }
  return valid(budgets);
}
