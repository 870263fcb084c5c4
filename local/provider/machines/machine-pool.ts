// Simulates the MachinePool controller and its infrastructure. Instances start, change version and stop one at a time.
import { toDisplayName, type Unstructured } from '@capi-serverless/apimachinery';
import type { ConditionDraft } from '@capi-serverless/cluster-api/conditions';
import { clusterOwner, decideOwnership, readBoolean, valueOr } from '@capi-serverless/cluster-api/contract';
import type { Action } from '@capi-serverless/reconciler';
import { ordersOf } from '../orders.ts';
import { progressOf, toInstant, toTime } from '../progress.ts';
import type { SimulatedProviderReconciler } from '../simulated-loss.ts';
import { patch, remove, toProviderRef } from './clone.ts';
import {
  type MachineCounts,
  rollingOut,
  scalingConditions,
  toStatus,
  type VersionCount,
  versionsIn,
} from './counts.ts';
import {
  type MachineController,
  type MachineControllerDeletionPlan,
  type MachineControllerInput,
  type MachineControllerPlan,
  toReconciler,
} from './machine-controller.ts';
import { nextVersions, toInstances } from './pool.ts';
import { find, isDeleting, numberAt, textAt, together } from './read.ts';

/** The time when the last instance changed. The next change waits for its duration. */
const steppedAtAnnotation = 'simulated.capi-serverless.dev/stepped-at';
const defaultSeconds = 1;
const missingSeconds = 5;
const hangingSeconds = 60;

const machineController: MachineController = {
  name: 'simulated-machine-pool',
  kind: 'MachinePool',
  finalizer: 'machinepool.cluster.x-k8s.io',
  status: [
    'phase',
    'initialization',
    'nodeRefs',
    'replicas',
    'readyReplicas',
    'availableReplicas',
    'upToDateReplicas',
    'versions',
    'observedGeneration',
  ],
  conditions: [
    'Available',
    'BootstrapConfigReady',
    'InfrastructureReady',
    'RollingOut',
    'ScalingUp',
    'ScalingDown',
    'MachinesReady',
    'MachinesUpToDate',
    'Remediating',
  ],
  rules: [
    {
      apiGroups: ['infrastructure.cluster.x-k8s.io', 'bootstrap.cluster.x-k8s.io'],
      resources: ['simulatedmachinepools', 'simulatedbootstrapconfigs'],
      verbs: ['get', 'delete'],
      why: 'deletes the infrastructure and bootstrap objects of a MachinePool with it',
    },
  ],
  watches: [],
  isOurs: object => textAt(object, 'spec.template.spec.infrastructureRef.kind') === 'SimulatedMachinePool',
  keep,
  release,
};

export const simulatedMachinePool: SimulatedProviderReconciler = toReconciler(machineController);

interface Behind {
  readonly found: readonly Unstructured[];
  /** The reason why no instance can be started. */
  readonly missing: string | undefined;
}

async function readBehind({ object, ask }: MachineControllerInput): Promise<Behind> {
  const paths = ['spec.template.spec.infrastructureRef', 'spec.template.spec.bootstrap.configRef'];
  const refs = paths.flatMap(path => toProviderRef(object, path) ?? []);
  const read = await together(refs.map(async ref => ({ ref, object: await find(ask, ref) })));
  const absent = read.find(each => each.object === undefined)?.ref;
  return {
    found: read.flatMap(each => each.object ?? []),
    missing: absent && `${absent.kind} ${toDisplayName(absent)} does not exist`,
  };
}

async function keep(
  around: MachineControllerInput & { readonly cluster: Unstructured },
): Promise<MachineControllerPlan> {
  const { object, cluster, now } = around;
  const { found, missing } = await readBehind(around);
  const desired = numberAt(object, 'spec.replicas') ?? 1;
  const version = textAt(object, 'spec.template.spec.version');
  const problem = missing ?? whyWaiting(cluster);
  const { hang, fail } = ordersOf(object);
  const stored = versionsIn(object);
  const next = nextVersions(stored, { version, replicas: desired });
  const seconds = numberAt(found[0], 'spec.provisionSeconds') ?? defaultSeconds;
  const due = toInstant(object.metadata.annotations?.[steppedAtAnnotation], 0) + seconds * 1000;
  const mayStep = next !== undefined && problem === undefined && !hang;
  const isDue = mayStep && due <= now;
  const versions = isDue ? next : stored;
  const counts = toMachineCounts(versions, { version, isHealthy: fail === undefined });
  const remaining = nextVersions(versions, { version, replicas: desired });
  const wait = isDue ? seconds : (due - now) / 1000;
  return {
    actions: [
      ...adopt(object, cluster),
      // The write is in the same pass as the status. A lost step is repeated, and a repeated write is idempotent.
      ...(isDue ? [patch(object, 'step', { metadata: { annotations: { [steppedAtAnnotation]: toTime(now) } } })] : []),
    ],
    status: {
      ...toStatus(counts),
      phase: phaseOf(counts, desired, problem),
      ...(problem === undefined
        ? { initialization: { infrastructureProvisioned: true, bootstrapDataSecretCreated: true } }
        : {}),
      nodeRefs: toNodeRefs(object, versions),
    },
    conditions: toConditions(counts, { desired, problem, fail }),
    ...(missing === undefined ? {} : { requeueAfterSeconds: missingSeconds }),
    ...(mayStep && remaining !== undefined ? { requeueAfterSeconds: Math.max(0, wait) } : {}),
  };
}

function whyWaiting(cluster: Unstructured): string | undefined {
  const has = (milestone: string): boolean =>
    valueOr(readBoolean(cluster, `status.initialization.${milestone}`), false);
  return has('infrastructureProvisioned') && has('controlPlaneInitialized')
    ? undefined
    : 'Waiting for the control plane to be initialized';
}

function toMachineCounts(
  versions: readonly VersionCount[],
  { version, isHealthy }: { readonly version: string; readonly isHealthy: boolean },
): MachineCounts {
  const replicas = versions.reduce((sum, each) => sum + each.replicas, 0);
  const good = isHealthy ? replicas : 0;
  const upToDateReplicas = versions.find(each => each.version === version)?.replicas ?? 0;
  return { replicas, readyReplicas: good, availableReplicas: good, upToDateReplicas, versions };
}

function toNodeRefs({ metadata }: Unstructured, versions: readonly VersionCount[]) {
  const refs = toInstances(metadata, versions).map(({ name }) => ({ apiVersion: 'v1', kind: 'Node', name, uid: name }));
  return refs.length === 0 ? undefined : refs;
}

interface Judging {
  readonly desired: number;
  readonly problem: string | undefined;
  readonly fail: string | undefined;
}

function toConditions(counts: MachineCounts, { desired, problem, fail }: Judging): readonly ConditionDraft[] {
  const few =
    counts.availableReplicas < desired ? `${counts.availableReplicas} of ${desired} replicas are available` : undefined;
  return [
    toCondition('BootstrapConfigReady', 'Ready', problem),
    toCondition('InfrastructureReady', 'Ready', problem),
    toCondition('Available', 'Available', problem ?? fail ?? few),
    rollingOut(counts),
    ...scalingConditions(counts, desired),
    { type: 'Remediating', status: 'False', reason: 'NotRemediating' },
  ];
}

function toCondition(type: string, reason: string, problem: string | undefined): ConditionDraft {
  return problem === undefined
    ? { type, status: 'True', reason }
    : { type, status: 'False', reason: `Not${reason}`, message: problem };
}

function phaseOf({ replicas }: MachineCounts, desired: number, problem: string | undefined): string {
  if (problem !== undefined) {
    return 'Pending';
  }
  return replicas < desired ? 'ScalingUp' : replicas > desired ? 'ScalingDown' : 'Running';
}

/** Deletes all instances at once, then the bootstrap and infrastructure objects. */
async function release(around: MachineControllerInput): Promise<MachineControllerDeletionPlan> {
  const { object, now } = around;
  const { found } = await readBehind(around);
  const held = ordersOf(object).deleteHang;
  const seconds = numberAt(found[0], 'spec.deletionSeconds') ?? defaultSeconds;
  const startedAt = toInstant(object.metadata.deletionTimestamp, now);
  const progress = progressOf({ steps: ['Deleting the instances'], startedAt, seconds, now, held });
  const message = progress.done ? 'Deletion completed' : progress.step;
  return {
    done: progress.done,
    actions: progress.done ? found.filter(each => !isDeleting(each)).map(remove) : [],
    status: { phase: 'Deleting' },
    conditions: [{ type: 'Deleting', status: 'True', reason: 'Deleting', message }],
    ...(progress.done ? {} : { requeueAfterSeconds: held ? hangingSeconds : progress.secondsLeft }),
  };
}

/** The Cluster must own the object, so that the object is deleted with the Cluster. */
function adopt(object: Unstructured, { metadata }: Unstructured): readonly Action[] {
  const ownership = decideOwnership(object, {
    owner: clusterOwner({ name: metadata.name, uid: metadata.uid, hasTopology: false }),
    clusterName: metadata.name,
  });
  return ownership.state === 'change' ? [patch(object, 'adopt', ownership.patch)] : [];
}
