// Simulates the MachineDeployment controller: one MachineSet per template, with a rolling update of the old ones.

import { mergeDiff, toRef, type Unstructured, valueAt } from '@capi-serverless/apimachinery';
import type { ConditionDraft } from '@capi-serverless/cluster-api/conditions';
import { clusterNameLabel, clusterOwner, decideOwnership } from '@capi-serverless/cluster-api/contract';
import type { Action } from '@capi-serverless/reconciler';
import { clusterApiVersion } from '../../../shared/api/cluster/reader.ts';
import { deploymentNameLabel } from '../../../shared/api/machine-deployment/reader.ts';
import type { SimulatedProviderReconciler } from '../simulated-loss.ts';
import { controllerReference, create, patch, remove } from './clone.ts';
import { addCounters, type MachineCounts, rollingOut, scalingConditions, toStatus } from './counts.ts';
import { digest, freeNames, nameFrom } from './generated-names.ts';
import {
  coreKind,
  type MachineController,
  type MachineControllerDeletionPlan,
  type MachineControllerInput,
  type MachineControllerPlan,
  planChildDeletion,
  toReconciler,
} from './machine-controller.ts';
import { selectorText, toController } from './machine-set.ts';
import { fieldsAt, isDeleting, listControlled, numberAt, textAt, textsAt } from './read.ts';
import { nextSteps, resolve, type Sized } from './rollout.ts';
import { isSameTemplate, rolloutAfter, secondsUntilRollout, templateText } from './template.ts';

const hashLabel = 'machine-template-hash';

const machineController: MachineController = {
  name: 'simulated-machine-deployment',
  kind: 'MachineDeployment',
  finalizer: 'cluster.x-k8s.io/machinedeployment',
  status: [
    'phase',
    'replicas',
    'readyReplicas',
    'availableReplicas',
    'upToDateReplicas',
    'versions',
    'selector',
    'observedGeneration',
  ],
  conditions: [
    'Available',
    'RollingOut',
    'ScalingUp',
    'ScalingDown',
    'MachinesReady',
    'MachinesUpToDate',
    'Remediating',
  ],
  rules: [
    {
      apiGroups: ['cluster.x-k8s.io'],
      resources: ['machinesets'],
      verbs: ['get', 'list', 'watch', 'create', 'patch', 'delete'],
      why: 'creates one MachineSet for each template',
    },
  ],
  watches: [{ source: coreKind('MachineSet'), as: 'metadata', map: toController('MachineDeployment') }],
  isOurs: object => textAt(object, 'spec.template.spec.infrastructureRef.kind') === 'SimulatedMachineTemplate',
  keep,
  release,
};

export const simulatedMachineDeployment: SimulatedProviderReconciler = toReconciler(machineController);

/** The MachineSets, oldest first. */
async function listSets({ object, ask }: MachineControllerInput): Promise<readonly Unstructured[]> {
  const labels = { [deploymentNameLabel]: object.metadata.name };
  const created = ({ metadata }: Unstructured): number => Date.parse(metadata.creationTimestamp ?? '') || 0;
  const sets = await listControlled(ask, object, { kind: 'MachineSet', labels });
  return sets.toSorted((a, b) => created(a) - created(b));
}

async function keep(
  around: MachineControllerInput & { readonly cluster: Unstructured },
): Promise<MachineControllerPlan> {
  const { object, cluster, now } = around;
  const sets = await listSets(around);
  const counts = addCounters(sets);
  const desired = desiredOf(object);
  const wait = secondsUntilRollout(object, now);
  const isPaused = valueAt(object, 'spec.paused') === true;
  return {
    actions: [...adopt(object, cluster), ...(isPaused ? [] : roll(object, sets, now))],
    status: { ...toStatus(counts), selector: selectorText(object), phase: phaseOf(counts, desired) },
    conditions: [
      availability(counts, { desired, maxUnavailable: limitsOf(object).maxUnavailable }),
      rollingOut(counts),
      ...scalingConditions(counts, desired),
      { type: 'Remediating', status: 'False', reason: 'NotRemediating' },
    ],
    ...(wait === undefined ? {} : { requeueAfterSeconds: wait }),
  };
}

function desiredOf(object: Unstructured): number {
  return numberAt(object, 'spec.replicas') ?? 1;
}

/** The Cluster must own the object, so that the object is deleted with the Cluster. */
export function adopt(object: Unstructured, { metadata }: Unstructured): readonly Action[] {
  const ownership = decideOwnership(object, {
    owner: clusterOwner({ name: metadata.name, uid: metadata.uid, hasTopology: false }),
    clusterName: metadata.name,
  });
  return ownership.state === 'change' ? [patch(object, 'adopt', ownership.patch)] : [];
}

function roll(object: Unstructured, sets: readonly Unstructured[], now: number): readonly Action[] {
  const current = sets.find(set => !isDeleting(set) && isCurrent(set, object, now));
  if (current === undefined) {
    return [createSet(object, sets, now)];
  }
  const old = sets.filter(set => set !== current && !isDeleting(set));
  const steps = nextSteps(toSized(current), old.map(toSized), limitsOf(object));
  return [
    ...follow(current, object),
    ...steps.flatMap(({ name, replicas }) =>
      sets.filter(({ metadata }) => metadata.name === name).map(set => patch(set, 'scale', { spec: { replicas } })),
    ),
    ...old.filter(isEmpty).map(remove),
  ];
}

function isCurrent(set: Unstructured, object: Unstructured, now: number): boolean {
  const after = rolloutAfter(object, now);
  const created = Date.parse(set.metadata.creationTimestamp ?? '');
  return isSameTemplate(set, object) && (after === undefined || created >= after);
}

function isEmpty(set: Unstructured): boolean {
  return numberAt(set, 'spec.replicas') === 0 && (numberAt(set, 'status.replicas') ?? 0) === 0;
}

function toSized(set: Unstructured): Sized {
  return {
    name: set.metadata.name,
    replicas: numberAt(set, 'spec.replicas') ?? 0,
    available: numberAt(set, 'status.availableReplicas') ?? 0,
  };
}

/** The values are maxSurge 1 and maxUnavailable 0, unless the deployment sets other values. */
function limitsOf(object: Unstructured) {
  const desired = desiredOf(object);
  const rolling = fieldsAt(object, 'spec.rollout.strategy.rollingUpdate');
  const maxUnavailable = resolve(rolling['maxUnavailable'], desired, Math.floor) ?? 0;
  const maxSurge = resolve(rolling['maxSurge'], desired, Math.ceil) ?? 1;
  return { desired, maxUnavailable, maxSurge: maxSurge === 0 && maxUnavailable === 0 ? 1 : maxSurge };
}

/**
 * A new set starts with as many replicas as the limits allow, so that the first set of a deployment starts complete.
 */
function createSet(object: Unstructured, sets: readonly Unstructured[], now: number): Action {
  const { name, uid, namespace = '' } = object.metadata;
  const after = rolloutAfter(object, now) ?? 0;
  const parts = [uid, templateText(object), after] as const;
  const taken = sets.map(set => set.metadata.name);
  // An earlier template may be used again while its old set is still being deleted.
  const [chosen = name] = freeNames(1, taken, index => nameFrom(name, ...parts, index));
  const hash = digest(...parts, chosen);
  const labels = { ...textsAt(object, 'spec.template.metadata.labels'), [hashLabel]: hash };
  const total = sets.reduce((sum, set) => sum + (numberAt(set, 'spec.replicas') ?? 0), 0);
  const { desired, maxSurge } = limitsOf(object);
  const cluster = textAt(object, 'spec.clusterName');
  const marks = { [deploymentNameLabel]: name, [clusterNameLabel]: cluster };
  return create(
    {
      apiVersion: clusterApiVersion,
      kind: 'MachineSet',
      metadata: {
        name: chosen,
        namespace,
        labels: { ...labels, ...marks },
        annotations: textsAt(object, 'spec.template.metadata.annotations'),
        ownerReferences: [controllerReference(object)],
      },
      spec: {
        clusterName: cluster,
        replicas: Math.min(desired, Math.max(0, desired + (sets.length === 0 ? 0 : maxSurge) - total)),
        selector: { matchLabels: { ...textsAt(object, 'spec.selector.matchLabels'), [hashLabel]: hash } },
        template: {
          metadata: {
            labels: { ...labels, ...marks },
            annotations: textsAt(object, 'spec.template.metadata.annotations'),
          },
          spec: fieldsAt(object, 'spec.template.spec'),
        },
      },
    },
    object,
  );
}

/** Copies the fields that Machines update in place to the current set. */
function follow(set: Unstructured, object: Unstructured): readonly Action[] {
  const diff = mergeDiff(fieldsAt(set, 'spec.template.spec'), fieldsAt(object, 'spec.template.spec'));
  return diff === undefined ? [] : [patch(set, 'change', { spec: { template: { spec: diff } } })];
}

function availability(
  { availableReplicas }: MachineCounts,
  { desired, maxUnavailable }: { readonly desired: number; readonly maxUnavailable: number },
): ConditionDraft {
  const least = desired - maxUnavailable;
  return availableReplicas >= least
    ? { type: 'Available', status: 'True', reason: 'Available' }
    : {
        type: 'Available',
        status: 'False',
        reason: 'NotAvailable',
        message: `${availableReplicas} available replicas, at least ${least} required`,
      };
}

function phaseOf({ replicas, availableReplicas, upToDateReplicas }: MachineCounts, desired: number): string {
  if (replicas > desired) {
    return 'ScalingDown';
  }
  return replicas < desired || availableReplicas < desired || upToDateReplicas < desired ? 'ScalingUp' : 'Running';
}

async function release(around: MachineControllerInput): Promise<MachineControllerDeletionPlan> {
  const sets = await listSets(around);
  const what = `MachineSets ${sets.map(set => toRef(set).name).join(', ')}`;
  return planChildDeletion(sets, { status: toStatus(addCounters(sets)), what });
}
