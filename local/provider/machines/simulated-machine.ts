// SimulatedMachine: the infrastructure of one Machine. It is provisioned after half of its time. After the other half,
// its kubelet registers a Node in the workload cluster.
// https://cluster-api.sigs.k8s.io/developer/providers/contracts/infra-machine
import type { Instant, Unstructured } from '@capi-serverless/apimachinery';
import { readBoolean, valueOr } from '@capi-serverless/cluster-api/contract';
import { ordersOf } from '../orders.ts';
import { toInstant, toTime } from '../progress.ts';
import { lossRights } from '../rights.ts';
import { type SimulatedProviderReconciler, simulatedLoss } from '../simulated-loss.ts';
import { patch } from './clone.ts';
import {
  type MachineController,
  type MachineControllerInput,
  type MachineControllerPlan,
  toReconciler,
} from './machine-controller.ts';
import { defaultSeconds, notReady, stopping, whyWaiting } from './machine-steps.ts';
import { clusterNameOf, findOwner, memberKind, ownerEvents } from './member.ts';
import { numberAt, textAt } from './read.ts';

const dataSecretName = 'spec.bootstrap.dataSecretName';
const kind = 'SimulatedMachine';
const primary = memberKind('infrastructure.cluster.x-k8s.io', kind);

const machineController: MachineController = {
  name: 'simulated-machine',
  kind,
  primary,
  clusterNameOf,
  finalizer: 'simulatedmachine.infrastructure.cluster.x-k8s.io',
  status: ['initialization', 'addresses', 'startedAt', 'node'],
  conditions: ['Ready'],
  rules: [
    {
      apiGroups: ['cluster.x-k8s.io'],
      resources: ['machines'],
      verbs: ['get', 'list', 'watch'],
      why: 'reads the version and the bootstrap data of the Machine',
    },
    lossRights(primary.group, kind),
  ],
  watches: [ownerEvents('Machine', 'spec.infrastructureRef', kind)],
  isOurs: () => true,
  keep,
  release: stopping('Stopping the machine'),
};

export const simulatedMachine: SimulatedProviderReconciler = simulatedLoss(toReconciler(machineController));

async function keep({
  object,
  cluster,
  ask,
  now,
}: MachineControllerInput & { readonly cluster: Unstructured }): Promise<MachineControllerPlan> {
  const machine = await findOwner(ask, object, 'Machine');
  const { hang, fail, terminal } = ordersOf(object);
  const stored = textAt(object, 'status.startedAt');
  const waits =
    stored === '' ? whyWaiting({ cluster, owner: machine, ownerKind: 'Machine', dataSecretName }) : undefined;
  if (waits !== undefined) {
    return { actions: [], status: {}, conditions: [notReady('Waiting', waits)] };
  }
  const startedAt = toInstant(stored, now);
  const half = ((numberAt(object, 'spec.provisionSeconds') ?? defaultSeconds) * 1000) / 2;
  const before = valueOr(readBoolean(object, 'status.initialization.provisioned'), false);
  const failure = terminal ?? fail;
  const isProvisioned = before || (startedAt + half <= now && !hang && failure === undefined);
  const status = { startedAt: toTime(startedAt) };
  const reason = terminal === undefined ? 'SimulatedFailure' : 'SimulatedTerminalFailure';
  const failed = failure === undefined ? undefined : notReady(reason, failure);
  if (!isProvisioned) {
    const isHeld = hang || failure !== undefined;
    return {
      actions: [],
      status,
      conditions: [failed ?? notReady('Provisioning', 'Starting the machine')],
      ...(isHeld ? {} : { requeueAfterSeconds: (startedAt + half - now) / 1000 }),
    };
  }
  const providerID = `simulated://${object.metadata.namespace}/${object.metadata.name}`;
  return {
    actions:
      textAt(object, 'spec.providerID') === providerID ? [] : [patch(object, 'identify', { spec: { providerID } })],
    status: { ...status, ...toProvisioned(object, { machine, startsAt: startedAt + 2 * half }) },
    conditions: [failed ?? { type: 'Ready', status: 'True', reason: 'Ready' }],
  };
}

interface Started {
  readonly machine: Unstructured | undefined;
  readonly startsAt: Instant;
}

/** The Node has the name of the machine. Its version is that of the Machine when it was provisioned. */
function toProvisioned(object: Unstructured, { machine, startsAt }: Started): Readonly<Record<string, unknown>> {
  const { name } = object.metadata;
  const version = textAt(object, 'status.node.version') || textAt(machine, 'spec.version');
  return {
    initialization: { provisioned: true },
    addresses: [
      { type: 'Hostname', address: name },
      { type: 'InternalDNS', address: `${name}.simulated.example` },
    ],
    node: { startsAt: toTime(startsAt), ...(version === '' ? {} : { version }) },
  };
}
