// Simulates the MachineSet controller. It keeps the desired number of Machines, created from the templates of the set.

import { type Name, type ObjectRef, toDisplayName, type Unstructured } from '@capi-serverless/apimachinery';
import type { Action, SourceEvent } from '@capi-serverless/reconciler';
import { deploymentNameLabel } from '../../../shared/api/machine-deployment/reader.ts';
import type { SimulatedProviderReconciler } from '../simulated-loss.ts';
import { makeMachine, patch, remove, toProviderRef } from './clone.ts';
import { countMachines, holds, scalingConditions, toStatus } from './counts.ts';
import { freeNames, nameFrom } from './generated-names.ts';
import { outdatedAnnotation } from './machine.ts';
import {
  coreApiVersion,
  coreKind,
  type MachineController,
  type MachineControllerDeletionPlan,
  type MachineControllerInput,
  type MachineControllerPlan,
  planChildDeletion,
  toReconciler,
} from './machine-controller.ts';
import {
  controllerOf,
  fieldsAt,
  find,
  isDeleting,
  listControlled,
  numberAt,
  textAt,
  textsAt,
  together,
} from './read.ts';
import { isSameTemplate } from './template.ts';

const setNameLabel = 'cluster.x-k8s.io/set-name';
/** A Machine with this annotation is deleted first when its set is scaled down. */
const deleteMachineAnnotation = 'cluster.x-k8s.io/delete-machine';
/** The seconds until missing templates are read again. */
const missingSeconds = 5;

const machineController: MachineController = {
  name: 'simulated-machine-set',
  kind: 'MachineSet',
  finalizer: 'cluster.x-k8s.io/machineset',
  status: [
    'replicas',
    'readyReplicas',
    'availableReplicas',
    'upToDateReplicas',
    'versions',
    'selector',
    'observedGeneration',
  ],
  conditions: ['ScalingUp', 'ScalingDown', 'MachinesReady', 'MachinesUpToDate', 'Remediating'],
  rules: [
    {
      apiGroups: ['cluster.x-k8s.io'],
      resources: ['machines'],
      verbs: ['get', 'list', 'watch', 'create', 'patch', 'delete'],
      why: 'creates Machines, marks outdated ones, deletes them',
    },
    {
      apiGroups: ['cluster.x-k8s.io'],
      resources: ['machinedeployments'],
      verbs: ['get'],
      why: 'reads which Machines are up to date',
    },
    {
      apiGroups: ['infrastructure.cluster.x-k8s.io', 'bootstrap.cluster.x-k8s.io'],
      resources: ['*'],
      verbs: ['get', 'create'],
      why: 'creates the infrastructure and bootstrap objects of Machines from templates',
    },
  ],
  watches: [
    { source: coreKind('Machine'), as: 'metadata', map: toController('MachineSet') },
    // The template with which its Machines are compared.
    {
      source: coreKind('MachineDeployment'),
      as: 'metadata',
      map: () => 'expand',
      matches: (set, { name, namespace }) => set.metadata.namespace === namespace && controllerOf(set)?.name === name,
    },
  ],
  isOurs: object => textAt(object, 'spec.template.spec.infrastructureRef.kind') === 'SimulatedMachineTemplate',
  keep,
  release,
};

export const simulatedMachineSet: SimulatedProviderReconciler = toReconciler(machineController);

/** Returns the object of this kind that controls the changed object. */
export function toController(kind: string): (event: SourceEvent) => readonly Name[] {
  return ({ object }) => {
    const owner = controllerOf(object);
    return owner?.kind === kind ? [{ namespace: object.metadata.namespace ?? '', name: owner.name }] : [];
  };
}

function listMachines({ object, ask }: MachineControllerInput): Promise<readonly Unstructured[]> {
  return listControlled(ask, object, { kind: 'Machine', labels: textsAt(object, 'spec.selector.matchLabels') });
}

async function keep(around: MachineControllerInput): Promise<MachineControllerPlan> {
  const { object } = around;
  const desired = numberAt(object, 'spec.replicas') ?? 1;
  const [machines, deployment] = await together([listMachines(around), findDeployment(around)]);
  const alive = machines.filter(machine => !isDeleting(machine));
  const templates = alive.length < desired ? await readTemplates(around) : undefined;
  const counts = countMachines(machines);
  const missing = templates !== undefined && 'missing' in templates ? templates.missing : undefined;
  return {
    actions: [
      ...alive.flatMap(machine => markOutdated(machine, whyOutdated(object, deployment))),
      ...(templates === undefined || 'missing' in templates
        ? []
        : makeMissing(object, { machines, count: desired - alive.length, ...templates })),
      ...toSpare(alive, alive.length - desired).map(remove),
    ],
    status: { ...toStatus(counts), selector: selectorText(object) },
    conditions: [
      ...scalingConditions(counts, desired),
      { type: 'Remediating', status: 'False', reason: 'NotRemediating' },
      ...(missing === undefined
        ? []
        : [{ type: 'ScalingUp', status: 'True', reason: 'ScalingUp', message: `${missing} does not exist` } as const]),
    ],
    ...(missing === undefined ? {} : { requeueAfterSeconds: missingSeconds }),
  };
}

function findDeployment({ object, ask }: MachineControllerInput): Promise<Unstructured | undefined> {
  const owner = controllerOf(object);
  const { namespace = '' } = object.metadata;
  return owner?.kind === 'MachineDeployment'
    ? find(ask, { apiVersion: coreApiVersion, kind: 'MachineDeployment', namespace, name: owner.name })
    : Promise.resolve(undefined);
}

/**
 * Compared with the current template of its MachineDeployment. A set without a MachineDeployment is always up to date.
 */
function whyOutdated(set: Unstructured, deployment: Unstructured | undefined): string | undefined {
  if (deployment === undefined || isSameTemplate(set, deployment)) {
    return undefined;
  }
  const [has, wants] = [set, deployment].map(each => textAt(each, 'spec.template.spec.version'));
  return has === wants ? 'Its templates are not those of the MachineDeployment' : `Version ${has}, ${wants} required`;
}

/** Sets or removes the annotation of a Machine that must be replaced. */
export function markOutdated(machine: Unstructured, why: string | undefined): readonly Action[] {
  return machine.metadata.annotations?.[outdatedAnnotation] === why
    ? []
    : [patch(machine, 'mark', { metadata: { annotations: { [outdatedAnnotation]: why ?? null } } })];
}

interface Templates {
  readonly infrastructure: Unstructured;
  readonly bootstrap: Unstructured | undefined;
}

async function readTemplates({
  object,
  ask,
}: MachineControllerInput): Promise<Templates | { readonly missing: string }> {
  const read = async (path: string) => {
    const ref = toProviderRef(object, path);
    return { ref, object: ref && (await find(ask, ref)) };
  };
  const [infrastructure, bootstrap] = await together([
    read('spec.template.spec.infrastructureRef'),
    read('spec.template.spec.bootstrap.configRef'),
  ]);
  const toMissing = (ref: ObjectRef) => ({ missing: `${ref.kind} ${toDisplayName(ref)}` });
  if (infrastructure.object === undefined) {
    return infrastructure.ref === undefined ? { missing: 'Its infrastructure' } : toMissing(infrastructure.ref);
  }
  return bootstrap.ref !== undefined && bootstrap.object === undefined
    ? toMissing(bootstrap.ref)
    : { infrastructure: infrastructure.object, bootstrap: bootstrap.object };
}

function makeMissing(
  set: Unstructured,
  { machines, count, ...templates }: Templates & { readonly machines: readonly Unstructured[]; readonly count: number },
): readonly Action[] {
  const { name, uid, labels = {} } = set.metadata;
  const taken = machines.map(machine => machine.metadata.name);
  const deployment = labels[deploymentNameLabel];
  return freeNames(count, taken, index => nameFrom(name, uid, index)).flatMap(each =>
    makeMachine({
      ...templates,
      owner: set,
      name: each,
      cluster: textAt(set, 'spec.clusterName'),
      labels: {
        ...textsAt(set, 'spec.template.metadata.labels'),
        ...textsAt(set, 'spec.selector.matchLabels'),
        [setNameLabel]: name.slice(0, 63),
        ...(deployment === undefined ? {} : { [deploymentNameLabel]: deployment }),
      },
      annotations: textsAt(set, 'spec.template.metadata.annotations'),
      spec: fieldsAt(set, 'spec.template.spec'),
    }),
  );
}

/** The order is: Machines with the delete annotation, Machines that are not ready, then the newest Machines. */
function toSpare(alive: readonly Unstructured[], count: number): readonly Unstructured[] {
  const rank = (machine: Unstructured): number =>
    deleteMachineAnnotation in (machine.metadata.annotations ?? {}) ? 0 : holds(machine, 'Ready') ? 2 : 1;
  const created = ({ metadata }: Unstructured): number => Date.parse(metadata.creationTimestamp ?? '') || 0;
  return alive.toSorted((a, b) => rank(a) - rank(b) || created(b) - created(a)).slice(0, Math.max(0, count));
}

/** The field for the scale subresource. */
export function selectorText(object: Unstructured): string | undefined {
  const labels = Object.entries(textsAt(object, 'spec.selector.matchLabels'));
  return (
    labels
      .map(([key, value]) => `${key}=${value}`)
      .toSorted()
      .join(',') || undefined
  );
}

async function release(around: MachineControllerInput): Promise<MachineControllerDeletionPlan> {
  const machines = await listMachines(around);
  return planChildDeletion(machines, {
    status: toStatus(countMachines(machines)),
    what: `${machines.length} Machines`,
  });
}
