// SimulatedMachinePool: the infrastructure of one MachinePool. Its instances start, change version and stop one at a time.
// The kubelet of an instance registers a Node in the workload cluster, which takes `provisionSeconds`. Then the instance is reported.
// https://cluster-api.sigs.k8s.io/developer/providers/contracts/infra-machinepool
import { sameJson, type Unstructured, valueAt, withoutUndefined } from '@capi-serverless/apimachinery';
import type { ConditionDraft } from '@capi-serverless/cluster-api/conditions';
import { readBoolean, valueOr } from '@capi-serverless/cluster-api/contract';
import type { Action } from '@capi-serverless/reconciler';
import { ordersOf } from '../orders.ts';
import { toInstant, toTime } from '../progress.ts';
import { lossRights } from '../rights.ts';
import { type SimulatedProviderReconciler, simulatedLoss } from '../simulated-loss.ts';
import { patch } from './clone.ts';
import type { VersionCount } from './counts.ts';
import {
  type MachineController,
  type MachineControllerInput,
  type MachineControllerPlan,
  toReconciler,
} from './machine-controller.ts';
import { defaultSeconds, notReady, stopping, whyWaiting } from './machine-steps.ts';
import { clusterNameOf, findOwner, memberKind, ownerEvents } from './member.ts';
import { instancesIn, nextVersions, providerIdOf, toInstances } from './pool.ts';
import { numberAt, textAt } from './read.ts';

/** The Node of an instance exists before the instance is reported. */
const leastSeconds = 0.5;
/** The version of instances of a MachinePool without version. */
const defaultVersion = 'v1.35.0';

const dataSecretName = 'spec.template.spec.bootstrap.dataSecretName';
const kind = 'SimulatedMachinePool';
const primary = memberKind('infrastructure.cluster.x-k8s.io', kind);

const machineController: MachineController = {
  name: 'simulated-machine-pool',
  kind,
  primary,
  clusterNameOf,
  finalizer: 'simulatedmachinepool.infrastructure.cluster.x-k8s.io',
  status: ['initialization', 'replicas', 'versions', 'instances', 'steppedAt'],
  conditions: ['Ready'],
  rules: [
    {
      apiGroups: ['cluster.x-k8s.io'],
      resources: ['machinepools'],
      verbs: ['get', 'list', 'watch'],
      why: 'reads the number of replicas, the version and the bootstrap data of the MachinePool',
    },
    lossRights(primary.group, kind),
  ],
  watches: [ownerEvents('MachinePool', 'spec.template.spec.infrastructureRef', kind)],
  isOurs: () => true,
  keep,
  release: stopping('Stopping the instances'),
};

export const simulatedMachinePool: SimulatedProviderReconciler = simulatedLoss(toReconciler(machineController));

async function keep({
  object,
  cluster,
  ask,
  now,
}: MachineControllerInput & { readonly cluster: Unstructured }): Promise<MachineControllerPlan> {
  const pool = await findOwner(ask, object, 'MachinePool');
  const { hang, fail, terminal } = ordersOf(object);
  const failure = terminal ?? fail;
  const waits = whyWaiting({ cluster, owner: pool, ownerKind: 'MachinePool', dataSecretName });
  const isMoving = waits === undefined && !hang && failure === undefined;
  const isProvisioned = isMoving || valueOr(readBoolean(object, 'status.initialization.provisioned'), false);
  const running = instancesIn(object);
  const seconds = Math.max(numberAt(object, 'spec.provisionSeconds') ?? defaultSeconds, leastSeconds);
  const secondsLeft = (toInstant(textAt(object, 'status.steppedAt'), 0) - now) / 1000 + seconds;
  // The Node of the last instance may not exist yet.
  const isReported = secondsLeft <= 0;
  const next = isMoving && isReported ? nextVersions(running, wantedOf(pool)) : undefined;
  const requeueAfterSeconds = isReported ? next && seconds : secondsLeft;
  return {
    actions: isReported ? identify(object, running) : [],
    status: {
      ...(isProvisioned ? { initialization: { provisioned: true } } : {}),
      ...(isReported ? { replicas: count(running), versions: unlessNone(running) } : {}),
      ...(next === undefined ? {} : { instances: unlessNone(next), steppedAt: toTime(now) }),
    },
    conditions: [readyOf({ failure, isTerminal: terminal !== undefined, isProvisioned, waits })],
    ...withoutUndefined({ requeueAfterSeconds }),
  };
}

function wantedOf(pool: Unstructured | undefined) {
  return {
    version: textAt(pool, 'spec.template.spec.version') || defaultVersion,
    replicas: numberAt(pool, 'spec.replicas') ?? 1,
  };
}

function count(instances: readonly VersionCount[]): number {
  return instances.reduce((sum, { replicas }) => sum + replicas, 0);
}

/** The API server refuses an empty list. */
function unlessNone(instances: readonly VersionCount[]): readonly VersionCount[] | undefined {
  return instances.length === 0 ? undefined : instances;
}

function identify(object: Unstructured, running: readonly VersionCount[]): readonly Action[] {
  const ids = toInstances(object.metadata, running).map(({ name }) => providerIdOf(object, name));
  const stored = valueAt(object, 'spec.providerIDList') ?? [];
  return sameJson(stored, ids) ? [] : [patch(object, 'identify', { spec: { providerIDList: ids } })];
}

interface Judged {
  readonly failure: string | undefined;
  readonly isTerminal: boolean;
  readonly isProvisioned: boolean;
  readonly waits: string | undefined;
}

function readyOf({ failure, isTerminal, isProvisioned, waits }: Judged): ConditionDraft {
  if (failure !== undefined) {
    return notReady(isTerminal ? 'SimulatedTerminalFailure' : 'SimulatedFailure', failure);
  }
  return isProvisioned
    ? { type: 'Ready', status: 'True', reason: 'Ready' }
    : notReady('Waiting', waits ?? 'Starting the instances');
}
