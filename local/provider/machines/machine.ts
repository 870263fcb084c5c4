// Simulates the Machine controller for Machines on simulated infrastructure. After configured times they become Nodes
// or are deleted.

import type { Unstructured } from '@capi-serverless/apimachinery';
import type { ConditionDraft } from '@capi-serverless/cluster-api/conditions';
import { readBoolean, valueOr } from '@capi-serverless/cluster-api/contract';
import { controlPlaneLabel } from '../../../shared/api/machine/reader.ts';
import { ordersOf } from '../orders.ts';
import { progressOf, toInstant, toTime } from '../progress.ts';
import type { SimulatedProviderReconciler } from '../simulated-loss.ts';
import { patch, remove, toProviderRef } from './clone.ts';
import {
  type MachineController,
  type MachineControllerDeletionPlan,
  type MachineControllerInput,
  type MachineControllerPlan,
  toReconciler,
} from './machine-controller.ts';
import { controllerOf, find, numberAt, textAt, together } from './read.ts';

/** The annotation of a Machine that its owner will replace. The value is the reason. */
export const outdatedAnnotation = 'simulated.capi-serverless.dev/outdated';

const defaultSeconds = 1;
/** The retry interval. The removal of the annotation also enqueues the object. */
const hangingSeconds = 60;

const phases = ['Pending', 'Provisioning', 'Provisioned', 'Running'] as const;
type Phase = (typeof phases)[number];

interface Life {
  readonly phase: Phase;
  /** The time when the phase began. */
  readonly since: number;
  readonly requeueAfterSeconds?: number;
}

const machineController: MachineController = {
  name: 'simulated-machine',
  kind: 'Machine',
  finalizer: 'machine.cluster.x-k8s.io',
  status: [
    'phase',
    'lastUpdated',
    'initialization',
    'nodeRef',
    'nodeInfo',
    'addresses',
    'observedGeneration',
    'deletion',
  ],
  conditions: [
    'Available',
    'Ready',
    'UpToDate',
    'BootstrapConfigReady',
    'InfrastructureReady',
    'NodeHealthy',
    'NodeReady',
    'Updating',
  ],
  rules: [
    {
      apiGroups: ['infrastructure.cluster.x-k8s.io', 'bootstrap.cluster.x-k8s.io'],
      resources: ['simulatedmachines', 'simulatedbootstrapconfigs'],
      verbs: ['get', 'delete'],
      why: 'deletes the infrastructure and bootstrap objects of a Machine with it',
    },
  ],
  watches: [],
  // A user created a Machine without a controller owner, so it is not changed.
  isOurs: object =>
    textAt(object, 'spec.infrastructureRef.kind') === 'SimulatedMachine' && controllerOf(object) !== undefined,
  keep,
  release,
};

export const simulatedMachine: SimulatedProviderReconciler = toReconciler(machineController);

async function keep({
  object,
  cluster,
  ask,
  now,
}: MachineControllerInput & { readonly cluster: Unstructured }): Promise<MachineControllerPlan> {
  const ref = toProviderRef(object, 'spec.infrastructureRef');
  const infrastructure = ref && (await find(ask, ref));
  const seconds = numberAt(infrastructure, 'spec.provisionSeconds') ?? defaultSeconds;
  const waits = whyWaiting(object, cluster, infrastructure);
  const { hang, fail } = ordersOf(object);
  const life = liveOn(object, { seconds, now, held: waits !== undefined || hang });
  const providerId = `simulated://${object.metadata.namespace}/${object.metadata.name}`;
  const isProvisioned = hasReached(life.phase, 'Provisioned');
  const unhealthy = fail ?? (infrastructure === undefined ? 'The infrastructure is gone' : undefined);
  return {
    actions:
      isProvisioned && textAt(object, 'spec.providerID') !== providerId
        ? [patch(object, 'name', { spec: { providerID: providerId } })]
        : [],
    status: {
      phase: life.phase,
      lastUpdated: toTime(life.since),
      ...(isProvisioned
        ? { initialization: { infrastructureProvisioned: true, bootstrapDataSecretCreated: true } }
        : {}),
      ...(life.phase === 'Running' ? toNode(object) : {}),
    },
    conditions: toConditions(object, { phase: life.phase, waits, unhealthy }),
    ...(life.requeueAfterSeconds === undefined ? {} : { requeueAfterSeconds: life.requeueAfterSeconds }),
  };
}

/** A Machine needs infrastructure. A worker also needs an initialized control plane. */
function whyWaiting(object: Unstructured, cluster: Unstructured, infrastructure: Unstructured | undefined) {
  const has = (milestone: string): boolean =>
    valueOr(readBoolean(cluster, `status.initialization.${milestone}`), false);
  const isControlPlane = controlPlaneLabel in (object.metadata.labels ?? {});
  if (infrastructure === undefined) {
    return `Waiting for SimulatedMachine ${textAt(object, 'spec.infrastructureRef.name')} to exist`;
  }
  if (!has('infrastructureProvisioned')) {
    return 'Waiting for Cluster status.infrastructureReady to be true';
  }
  return isControlPlane || has('controlPlaneInitialized')
    ? undefined
    : 'Waiting for the control plane to be initialized';
}

/** The phase follows from its status and the clock only. Each phase after the first takes half of the time. */
function liveOn(
  object: Unstructured,
  { seconds, now, held }: { readonly seconds: number; readonly now: number; readonly held: boolean },
): Life {
  const stored = phases.find(phase => phase === textAt(object, 'status.phase'));
  let phase: Phase = stored ?? 'Pending';
  let since = stored === undefined ? now : toInstant(textAt(object, 'status.lastUpdated'), now);
  const half = (seconds * 1000) / 2;
  while (phase !== 'Running' && !held) {
    const due = phase === 'Pending' ? now : since + half;
    if (due > now) {
      return { phase, since, requeueAfterSeconds: (due - now) / 1000 };
    }
    phase = phases[phases.indexOf(phase) + 1] ?? 'Running';
    since = due;
  }
  return { phase, since };
}

function hasReached(phase: Phase, milestone: Phase): boolean {
  return phases.indexOf(phase) >= phases.indexOf(milestone);
}

/** The Node has the name of the Machine. */
function toNode({ metadata, spec }: Unstructured): Readonly<Record<string, unknown>> {
  const { name, uid } = metadata;
  const kubeletVersion = textAt(spec, 'version');
  return {
    nodeRef: { name },
    nodeInfo: {
      machineID: uid,
      systemUUID: uid,
      bootID: uid,
      kernelVersion: '6.12.0-simulated',
      osImage: 'Simulated Linux',
      containerRuntimeVersion: 'containerd://2.1.0',
      kubeletVersion,
      kubeProxyVersion: '',
      operatingSystem: 'linux',
      architecture: 'amd64',
    },
    addresses: [
      { type: 'Hostname', address: name },
      { type: 'InternalDNS', address: `${name}.simulated.example` },
    ],
  };
}

interface Judging {
  readonly phase: Phase;
  readonly waits: string | undefined;
  readonly unhealthy: string | undefined;
}

function toConditions(object: Unstructured, { phase, waits, unhealthy }: Judging): readonly ConditionDraft[] {
  const provisioning = waits ?? 'Starting the machine';
  const infrastructure = hasReached(phase, 'Provisioned') ? undefined : provisioning;
  const node =
    phase === 'Running' ? unhealthy : `Waiting for a Node with spec.providerID of Machine ${object.metadata.name}`;
  const problem = infrastructure ?? node;
  const outdated = object.metadata.annotations?.[outdatedAnnotation];
  return [
    toCondition('BootstrapConfigReady', 'Ready', hasReached(phase, 'Provisioning') ? undefined : provisioning),
    toCondition('InfrastructureReady', 'Ready', infrastructure),
    toCondition('NodeReady', 'NodeReady', node),
    toCondition('NodeHealthy', 'NodeHealthy', node),
    toCondition('Ready', 'Ready', problem),
    toCondition('Available', 'Available', problem),
    toCondition('UpToDate', 'UpToDate', outdated),
    { type: 'Updating', status: 'False', reason: 'NotUpdating' },
  ];
}

/** The condition is True unless there is a problem. */
function toCondition(type: string, reason: string, problem: string | undefined): ConditionDraft {
  return problem === undefined
    ? { type, status: 'True', reason }
    : { type, status: 'False', reason: `Not${reason}`, message: problem };
}

/** Drains the Node, then deletes the infrastructure, then the bootstrap object. */
async function release({ object, ask, now }: MachineControllerInput): Promise<MachineControllerDeletionPlan> {
  const refs = ['spec.infrastructureRef', 'spec.bootstrap.configRef'].flatMap(
    path => toProviderRef(object, path) ?? [],
  );
  const found = (await together(refs.map(ref => find(ask, ref)))).flatMap(each => each ?? []);
  const seconds = numberAt(found[0], 'spec.deletionSeconds') ?? defaultSeconds;
  const held = ordersOf(object).deleteHang;
  const startedAt = toInstant(object.metadata.deletionTimestamp, now);
  const steps = ['Draining the Node', 'Deleting the infrastructure'] as const;
  const progress = progressOf({ steps, startedAt, seconds, now, held });
  const message = progress.done ? 'Deletion completed' : progress.step;
  return {
    done: progress.done,
    actions: progress.done ? found.filter(each => each.metadata.deletionTimestamp === undefined).map(remove) : [],
    status: { phase: 'Deleting' },
    conditions: [
      { type: 'Deleting', status: 'True', reason: progress.done ? 'DeletionCompleted' : 'Deleting', message },
      { type: 'Ready', status: 'False', reason: 'NotReady', message: `* Deleting: ${message}` },
      { type: 'Available', status: 'False', reason: 'NotAvailable', message: `* Deleting: ${message}` },
    ],
    ...(progress.done ? {} : { requeueAfterSeconds: held ? hangingSeconds : progress.secondsLeft }),
  };
}
