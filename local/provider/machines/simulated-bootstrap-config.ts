// SimulatedBootstrapConfig: writes the bootstrap data of one Machine to a Secret. A worker joins an initialized control
// plane only.
// https://cluster-api.sigs.k8s.io/developer/providers/contracts/bootstrap-config
import type { ObjectRef, Unstructured } from '@capi-serverless/apimachinery';
import type { ConditionDraft } from '@capi-serverless/cluster-api/conditions';
import { clusterNameLabel, readBoolean, valueOr } from '@capi-serverless/cluster-api/contract';
import type { Action } from '@capi-serverless/reconciler';
import { controlPlaneLabel } from '../../../shared/api/machine/reader.ts';
import { clusterSecretType, toSecretData } from '../../../shared/api/secret.ts';
import { ordersOf } from '../orders.ts';
import { lossRights } from '../rights.ts';
import { type SimulatedProviderReconciler, simulatedLoss } from '../simulated-loss.ts';
import { controllerReference, create } from './clone.ts';
import {
  type MachineController,
  type MachineControllerInput,
  type MachineControllerPlan,
  toReconciler,
} from './machine-controller.ts';
import { clusterNameOf, memberKind } from './member.ts';
import { find, textAt } from './read.ts';

const kind = 'SimulatedBootstrapConfig';
const primary = memberKind('bootstrap.cluster.x-k8s.io', kind);

const machineController: MachineController = {
  name: 'simulated-bootstrap-config',
  kind,
  primary,
  clusterNameOf,
  status: ['initialization', 'dataSecretName'],
  conditions: ['Ready'],
  rules: [
    { apiGroups: [''], resources: ['secrets'], verbs: ['get', 'create'], why: 'writes the bootstrap data' },
    lossRights(primary.group, kind),
  ],
  watches: [],
  isOurs: () => true,
  keep,
};

export const simulatedBootstrapConfig: SimulatedProviderReconciler = simulatedLoss(toReconciler(machineController));

async function keep({
  object,
  cluster,
  ask,
}: MachineControllerInput & { readonly cluster: Unstructured }): Promise<MachineControllerPlan> {
  const { hang, fail, terminal } = ordersOf(object);
  const before = textAt(object, 'status.dataSecretName');
  const failure = terminal ?? fail;
  const waits = failure ?? (hang ? 'Generating the bootstrap data' : whyWaiting(object, cluster));
  if (before === '' && waits !== undefined) {
    return { actions: [], status: {}, conditions: [ready('Waiting', waits)] };
  }
  const { namespace = '', name } = object.metadata;
  const ref: ObjectRef = { apiVersion: 'v1', kind: 'Secret', namespace, name };
  const secret = await find(ask, ref);
  return {
    actions: secret === undefined ? [toSecret(object)] : [],
    status: { dataSecretName: name, initialization: { dataSecretCreated: true } },
    conditions: [
      failure === undefined
        ? { type: 'Ready', status: 'True', reason: 'Ready' }
        : ready(terminal === undefined ? 'SimulatedFailure' : 'SimulatedTerminalFailure', failure),
    ],
  };
}

function whyWaiting({ metadata }: Unstructured, cluster: Unstructured): string | undefined {
  const isControlPlane = controlPlaneLabel in (metadata.labels ?? {});
  return isControlPlane || valueOr(readBoolean(cluster, 'status.initialization.controlPlaneInitialized'), false)
    ? undefined
    : 'Waiting for the control plane to be initialized';
}

function ready(reason: string, message: string): ConditionDraft {
  return { type: 'Ready', status: 'False', reason, message };
}

function toSecret(object: Unstructured): Action {
  const { namespace = '', name } = object.metadata;
  return create(
    {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: {
        name,
        namespace,
        labels: { [clusterNameLabel]: clusterNameOf(object) },
        ownerReferences: [controllerReference(object)],
      },
      type: clusterSecretType,
      data: { value: toSecretData('#cloud-config\n') },
    },
    object,
  );
}
