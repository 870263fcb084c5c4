// What a Machine in deletion waits for, and the remedies. Derived from its condition Deleting. Pure.
import { toDisplayName, type Unstructured } from '@capi-serverless/apimachinery';
import { getCondition } from '@capi-serverless/cluster-api/conditions';
import { readWholeMachine } from '../../../shared/api/machine/whole-machine.ts';
import { type ConditionView, toWhy } from '../../../shared/explain/conditions.ts';
import type { WaitCause } from '../../../shared/explain/explanation.ts';
import type { FindOrder } from '../../../shared/explain/find-order.ts';
import { annotate } from '../../../shared/explain/kubectl.ts';
import {
  infrastructurePreference,
  type Referred,
  toStateText,
  viewReferred,
} from '../../../shared/explain/referred.ts';
import { finalizersOf, remedyOfReferred, toFinalizerRemedy, toSubject } from '../../../shared/explain/remedies.ts';
import type { MachineSnapshot } from './machine-snapshot.ts';
import { connectRemedy, onWorkload } from './workload-remedies.ts';

interface Deleting extends MachineSnapshot {
  readonly condition: ConditionView;
  readonly findOrder: FindOrder;
}

export function deletionCause(of: Deleting): WaitCause {
  const { machine, condition, bootstrap, infrastructure, findOrder } = of;
  switch (condition.reason) {
    case 'WaitingForPreDrainHook':
      return hookCause(machine, 'pre-drain.delete.hook.machine.cluster.x-k8s.io');
    case 'WaitingForPreTerminateHook':
      return hookCause(machine, 'pre-terminate.delete.hook.machine.cluster.x-k8s.io');
    case 'DrainingNode':
      return drainCause(of);
    case 'WaitingForVolumeDetach':
      return volumesCause(of);
    case 'WaitingForInfrastructureDeletion':
      return objectCause(infrastructure, { field: 'infrastructureRef', findOrder });
    case 'WaitingForBootstrapDeletion':
      return objectCause(bootstrap, { field: 'bootstrap.configRef', findOrder });
    case 'DeletingNode':
      return nodeCause(of);
    case 'DeletionCompleted':
      return { pointsTo: finalizersOf(machine), remedies: [toFinalizerRemedy(machine)] };
    default:
      return { pointsTo: [], remedies: [planRemedy(machine)] };
  }
}

function planRemedy({ metadata }: Unstructured): string {
  return `see each step, and what blocks it now: npx capi-serverless plan machine ${toDisplayName(metadata)}`;
}

/** By convention, the value of the annotation names the controller that removes it. */
function hookCause(machine: Unstructured, prefix: string): WaitCause {
  const hooks = Object.entries(readWholeMachine(machine).metadata.annotations).filter(([key]) =>
    key.startsWith(prefix),
  );
  return {
    pointsTo: hooks.map(([key, owner]) =>
      owner === '' ? `annotation ${key}` : `annotation ${key}, which ${owner} is to remove`,
    ),
    remedies: [
      'see whether the controller that set the annotation runs; it removes the annotation when its work is done',
      ...hooks.map(([key]) => `to go on without it: ${annotate(machine, `${key}-`)}`),
    ],
  };
}

function drainCause(of: Deleting): WaitCause {
  const { machine, condition } = of;
  const lines = drainLines(condition);
  const exclude = `to go on without a drain: ${annotate(machine, 'machine.cluster.x-k8s.io/exclude-node-draining=')}`;
  if (lines.length === 0) {
    const { conditions } = readWholeMachine(machine).status.deprecated.v1beta1;
    const error = getCondition(conditions, 'DrainingSucceeded')?.message ?? '';
    return {
      pointsTo: error === '' ? [] : [`the last error of the drain: ${error}`],
      remedies: [...connectRemedy(of), planRemedy(machine), exclude],
    };
  }
  const budgets = namespacesOf(lines.filter(isBudget));
  return {
    pointsTo: lines.map(lineText),
    remedies: [
      ...budgets.map(
        namespace => `see what the budget needs: ${onWorkload(of, `get poddisruptionbudgets,pods -n ${namespace}`)}`,
      ),
      planRemedy(machine),
      exclude,
    ],
  };
}

function volumesCause(of: Deleting): WaitCause {
  const { machine, condition } = of;
  const lines = condition.message.split('\n').filter(line => line.startsWith('* '));
  return {
    pointsTo: lines.map(line => line.slice(2)),
    remedies: [
      `see which volumes are attached: ${onWorkload(of, 'get volumeattachments')}`,
      `to go on with attached volumes: ${annotate(machine, 'machine.cluster.x-k8s.io/exclude-wait-for-node-volume-detach=')}`,
    ],
  };
}

function objectCause(
  referred: Referred | undefined,
  of: { readonly field: string; readonly findOrder: FindOrder },
): WaitCause {
  if (referred?.state !== 'found') {
    return { pointsTo: [], remedies: ['nothing to do: the next reconcile sees that it is gone'] };
  }
  const { object } = referred;
  const state = toStateText(viewReferred(referred, infrastructurePreference));
  return {
    pointsTo: [`${toSubject(object)}, ${state}`],
    remedies: [remedyOfReferred(referred, { ...of, of: 'Machine', preference: infrastructurePreference })],
  };
}

function nodeCause(of: Deleting): WaitCause {
  const { machine, condition } = of;
  const node = readWholeMachine(machine).status.nodeRef.name;
  return {
    pointsTo: [`Node ${node}: ${toWhy(condition)}`],
    remedies: [...connectRemedy(of), `or delete it: ${onWorkload(of, `delete node ${node}`)}`],
  };
}

/** Pods in the form `namespace/name`, and what each of them waits for. A message names at most three Pods of a line. */
interface DrainLine {
  readonly pods: string;
  readonly why: string;
}

const budgetText = "cannot evict pod as it would violate the pod's disruption budget.";

/** The lines that begin with a list mark. Lines about later Pods follow when these are gone. */
function drainLines({ message }: ConditionView): readonly DrainLine[] {
  return message.split('\n').flatMap(line => {
    const { pods, why } = /^\* Pods? (?<pods>[^:]+): (?<why>.+)$/.exec(line)?.groups ?? {};
    return pods === undefined || why === undefined ? [] : [{ pods, why }];
  });
}

/** Returns true if a PodDisruptionBudget refuses an eviction. */
function isBudget({ why }: DrainLine): boolean {
  return why.startsWith(budgetText);
}

/** Names the budget, if the API server named it. */
function lineText(line: DrainLine): string {
  const { pods, why } = line;
  if (!isBudget(line)) {
    return `Pod ${pods}: ${why}`;
  }
  const { budget } = /The disruption budget (?<budget>\S+) /.exec(why)?.groups ?? {};
  const by = budget === undefined ? 'a PodDisruptionBudget' : `PodDisruptionBudget ${budget}`;
  return `Pod ${pods}, whose eviction ${by} refuses: ${why.slice(budgetText.length).trim() || why}`;
}

/** The namespaces of these Pods. The text after the last Pod counts further ones. */
function namespacesOf(lines: readonly DrainLine[]): readonly string[] {
  const pods = lines.flatMap(line => line.pods.split(', '));
  return [...new Set(pods.flatMap(pod => /^(?<namespace>.+)\//.exec(pod)?.groups?.['namespace'] ?? []))];
}
