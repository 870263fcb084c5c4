// Explains why a Machine waits: the condition, the object that the condition refers to, and the remedy. Pure.
import { toDisplayName, type Unstructured } from '@capi-serverless/apimachinery';
import { pausedAnnotation } from '@capi-serverless/cluster-api/conditions';
import { readCluster } from '../../../shared/api/cluster/reader.ts';
import { readWholeMachine } from '../../../shared/api/machine/whole-machine.ts';
import {
  type AwaitedCondition,
  type ConditionView,
  conditionOf,
  firstWaitOf,
  toWhy,
  type Wait,
} from '../../../shared/explain/conditions.ts';
import { type Explanation, toExplanation, type WaitCause } from '../../../shared/explain/explanation.ts';
import type { FindOrder } from '../../../shared/explain/find-order.ts';
import { annotate } from '../../../shared/explain/kubectl.ts';
import {
  infrastructurePreference,
  type Referred,
  toStateText,
  viewReferred,
} from '../../../shared/explain/referred.ts';
import { remedyOfReferred } from '../../../shared/explain/remedies.ts';
import { blockingHooksAnnotation } from '../../../shared/runtime-hooks/rules/blocks.ts';
import { deletionCause } from './deletion-cause.ts';
import type { MachineSnapshot } from './machine-snapshot.ts';
import { connectRemedy, onWorkload } from './workload-remedies.ts';

interface Explaining extends MachineSnapshot {
  readonly findOrder: FindOrder;
}

/** Returns `undefined` if the Machine waits for nothing. */
export function explainMachine(snapshot: MachineSnapshot, findOrder: FindOrder): Explanation | undefined {
  const wait = waitOfMachine(snapshot.machine);
  return wait && toExplanation(wait, causeOf({ ...snapshot, findOrder }, wait.condition));
}

function causeOf(of: Explaining, condition: ConditionView | undefined): WaitCause {
  if (condition === undefined) {
    return only('see whether the functions run, and whether their watch filter leaves this Machine out');
  }
  const { bootstrap, infrastructure } = of;
  switch (condition.type) {
    case 'Paused':
      return { pointsTo: [], remedies: pauseRemedies(of) };
    case 'Deleting':
      return deletionCause({ ...of, condition });
    case 'BootstrapConfigReady':
      return referredCause(of, bootstrap, 'bootstrap.configRef');
    case 'InfrastructureReady':
      return referredCause(of, infrastructure, 'infrastructureRef');
    case 'NodeReady':
    case 'NodeHealthy':
      return nodeCause(of, condition);
    case 'Updating':
      return updateCause(of, condition);
    case 'OwnerRemediated':
      return only('its owner does not replace the Machine now; the message says what it waits for');
    case 'HealthCheckSucceeded':
      return only('nothing to do: its owner replaces the Machine; if it stays, see the conditions of its owner');
    case 'Available':
      return availableCause(of, condition);
    default:
      return only('see the conditions that the message names');
  }
}

function only(remedy: string): WaitCause {
  return { pointsTo: [], remedies: [remedy] };
}

function pauseRemedies({ machine, cluster }: Explaining): readonly string[] {
  const { namespace = '', annotations } = machine.metadata;
  const isClusterPaused = cluster !== undefined && readCluster(cluster).spec.paused;
  const unpause = `kubectl patch cluster -n ${namespace} ${cluster?.metadata.name} --type=merge -p '{"spec":{"paused":false}}'`;
  return [
    ...(isClusterPaused ? [`unset spec.paused of its Cluster: ${unpause}`] : []),
    ...(annotations?.[pausedAnnotation] === undefined
      ? []
      : [`remove the annotation: ${annotate(machine, `${pausedAnnotation}-`)}`]),
  ];
}

function referredCause({ machine, findOrder }: Explaining, referred: Referred | undefined, field: string): WaitCause {
  const of = { field, of: 'Machine', preference: infrastructurePreference, findOrder } as const;
  const remedies = [remedyOfReferred(referred, of)];
  if (referred === undefined) {
    return { pointsTo: [], remedies };
  }
  const name = `${referred.kind} ${toDisplayName({ ...machine.metadata, name: referred.name })}`;
  return { pointsTo: [`${name}, ${toStateText(viewReferred(referred, infrastructurePreference))}`], remedies };
}

function nodeCause(of: Explaining, condition: ConditionView): WaitCause {
  const { spec, status } = readWholeMachine(of.machine);
  const { name } = status.nodeRef;
  switch (condition.reason) {
    case 'ConnectionDown':
      return { pointsTo: ['the workload cluster, whose connection is lost'], remedies: connectRemedy(of) };
    case 'InspectionFailed':
      return missingNode(of, spec.providerID);
    case 'NodeDeleted':
      return {
        pointsTo: [`Node ${name}, which was deleted in the workload cluster`],
        remedies: [`delete the Machine, so that its owner creates another one: ${deletion(of.machine)}`],
      };
    case 'InternalError':
      return { pointsTo: [], remedies: ['see the error in the log of function machine', ...connectRemedy(of)] };
    default:
      return {
        pointsTo: [`Node ${name}: ${toWhy(condition)}`],
        remedies: [`see what its kubelet reports: ${onWorkload(of, `describe node ${name}`)}`],
      };
  }
}

/** The Cluster is not ready, the providerID is not known, or no Node has it. */
function missingNode(of: Explaining, providerID: string): WaitCause {
  const cluster = of.cluster === undefined ? undefined : readCluster(of.cluster);
  const isInitialized = cluster?.status.conditions.some(
    ({ type, status }) => type === 'ControlPlaneInitialized' && status === 'True',
  );
  if (isInitialized !== true || cluster?.status.initialization.infrastructureProvisioned !== true) {
    const { metadata, spec } = readWholeMachine(of.machine);
    const display = toDisplayName({ namespace: metadata.namespace, name: spec.clusterName });
    return {
      pointsTo: [`Cluster ${display}, which is not initialized`],
      remedies: [`see what it waits for: npx capi-serverless why ${display}`],
    };
  }
  if (providerID === '') {
    return referredCause(of, of.infrastructure, 'infrastructureRef');
  }
  return {
    pointsTo: [`a Node with spec.providerID ${providerID}, which has not joined the workload cluster`],
    remedies: [
      `see which Nodes have which providerID: ${onWorkload(of, 'get nodes -o custom-columns=NAME:.metadata.name,PROVIDERID:.spec.providerID')}`,
      'if the Node is missing, see the log of its bootstrap (cloud-init, kubelet) on the machine',
      'if the Node has no providerID, see whether the cloud controller manager of the workload cluster runs',
    ],
  };
}

function updateCause({ machine }: Explaining, { reason, message }: ConditionView): WaitCause {
  if (reason === 'InPlaceUpdateFailed') {
    return message.includes('InfraMachine')
      ? only(`the infrastructure machine is gone; delete the Machine: ${deletion(machine)}`)
      : only('see the error in the log of function machine, and the log of the extension with hook UpdateMachine');
  }
  return only(
    `wait for the extension with hook UpdateMachine, which is called again; to call it now: ${annotate(machine, `${blockingHooksAnnotation}-`)}`,
  );
}

function availableCause({ machine }: Explaining, { reason }: ConditionView): WaitCause {
  const { minReadySeconds } = readWholeMachine(machine).spec;
  return reason === 'WaitingForMinReadySeconds'
    ? only(`nothing to do: the Machine becomes available after it was ready for ${minReadySeconds} s`)
    : only('see its condition Ready');
}

function deletion({ metadata: { namespace = '', name } }: Unstructured): string {
  return `kubectl delete machine -n ${namespace} ${name}`;
}

/** Condition types in the order in which a user should check them. */
const awaitedConditions: readonly AwaitedCondition[] = [
  { type: 'Paused', fine: 'False', until: 'its pause to end' },
  { type: 'Deleting', fine: 'False', until: 'its deletion to end' },
  { type: 'BootstrapConfigReady', fine: 'True' },
  { type: 'InfrastructureReady', fine: 'True' },
  { type: 'NodeReady', fine: 'True' },
  { type: 'NodeHealthy', fine: 'True' },
  { type: 'Updating', fine: 'False', until: 'its update to end' },
  { type: 'HealthCheckSucceeded', fine: 'True', until: 'its remediation' },
  { type: 'OwnerRemediated', fine: 'True', until: 'its remediation' },
  { type: 'Ready', fine: 'True' },
  { type: 'Available', fine: 'True' },
];

/** Returns the first cause for which a Machine waits, or `undefined` if its conditions show none. */
export function waitOfMachine(machine: Unstructured): Wait | undefined {
  const wait = firstWaitOf(machine, awaitedConditions);
  const remediation = conditionOf(machine, 'OwnerRemediated');
  const isRefused = remediation?.status === 'False' && remediation.reason !== 'WaitingForRemediation';
  const isEarlier = wait?.condition?.type === 'Paused' || wait?.condition?.type === 'Deleting';
  return isRefused && !isEarlier ? { until: 'its remediation', condition: remediation } : wait;
}
