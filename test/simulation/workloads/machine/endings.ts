// Machines whose Nodes could be lost in their deletion: the Node is not known yet, holds a volume, or cannot be deleted.

import { type ObjectRef, valueAt } from '@capi-serverless/apimachinery';
import type { SimulatedUser } from '../../system/user.ts';
import { aWholeMachine } from '../machine-parts.ts';
import { nodeRef, start, startControlPlane, untilDeleted, untilStage } from '../machine-steps.ts';
import { machineRef } from '../members.ts';
import { clusterRef, conditionOf, home, isGone, type Workload } from '../workload.ts';

const infrastructure: ObjectRef = {
  apiVersion: 'infrastructure.cluster.x-k8s.io/v1beta2',
  kind: 'SimulatedMachine',
  namespace: home,
  name: 'm1',
};
/** A Pod that a new Node runs. */
const webPod: ObjectRef = { apiVersion: 'v1', kind: 'Pod', namespace: 'default', name: 'web-m1' };
const paused = 'cluster.x-k8s.io/paused';
const annotated = (key: string, value: string | null) => ({ metadata: { annotations: { [key]: value } } });
const orderPrefix = 'simulated.capi-serverless.dev/';
const order = (name: string, value: string | null) => annotated(`${orderPrefix}${name}`, value);

/** The Machine is paused before it learns its providerID. Its Node is then old enough for every pass to see it. */
async function startWithUnknownNode(user: SimulatedUser): Promise<void> {
  await startControlPlane(user);
  const [config, machine, ...others] = aWholeMachine('m1');
  if (config === undefined || machine === undefined) {
    throw new Error('A Machine has a bootstrap config and an infrastructure machine');
  }
  await user.create(
    config,
    { ...machine, metadata: { ...machine.metadata, annotations: { [`${orderPrefix}hang`]: '' } } },
    ...others,
  );
  await user.until(
    'the Machine to have bootstrap data',
    machineRef('m1'),
    object => valueAt(object?.spec, 'bootstrap.dataSecretName') !== undefined,
  );
  // A provider does not start before the Machine owns its object, and a paused Machine owns nothing new.
  await user.until(
    'the Machine to own its infrastructure',
    infrastructure,
    object => (object?.metadata.ownerReferences ?? []).length > 0,
  );
  await user.patch(machineRef('m1'), annotated(paused, ''));
  await user.until('the Machine to be paused', machineRef('m1'), object => conditionOf(object, 'Paused') === 'True');
  await user.patch(infrastructure, order('hang', null));
  await user.inWorkload(clusterRef()).until('its Node to exist', nodeRef('m1'), node => node !== undefined);
  await user.pause(120);
  await user.pause(120);
}

export const machineWithoutProviderId: Workload = {
  name: 'machine-without-provider-id',
  about: 'The infrastructure of a paused Machine is deleted, and then the Machine, which never learned its providerID',
  long: true,
  async script(user) {
    await startWithUnknownNode(user);
    // The Node of infrastructure that is being deleted is not drained.
    const workload = user.inWorkload(clusterRef());
    await workload.delete(webPod);
    await workload.until('its Pod to be gone', webPod, isGone);
    await user.patch(infrastructure, order('delete-hang', ''));
    await user.delete(infrastructure);
    await user.delete(machineRef('m1'));
    await user.patch(machineRef('m1'), annotated(paused, null));
    await untilStage(user, 'WaitingForInfrastructureDeletion');
    await user.patch(infrastructure, order('delete-hang', null));
    await untilDeleted(user);
  },
};

export const machineWithoutNodeRef: Workload = {
  name: 'machine-without-node-ref',
  about:
    'A paused Machine is deleted before it has looked for its Node, while the workload cluster is lost for seconds',
  long: true,
  async script(user) {
    await startWithUnknownNode(user);
    const workload = user.inWorkload(clusterRef());
    workload.disconnect();
    await user.delete(machineRef('m1'));
    await user.patch(machineRef('m1'), annotated(paused, null));
    await user.pause(5);
    workload.connect();
    await untilDeleted(user);
  },
};

export const machineFinishedPod: Workload = {
  name: 'machine-finished-pod',
  about: 'A Pod that a drain waits for has completed, and its volume is still attached',
  long: true,
  async script(user) {
    await start(user);
    await user.pause(120);
    await user.pause(120);
    await user.patch(infrastructure, order('volume', ''));
    const workload = user.inWorkload(clusterRef());
    await workload.create({
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: 'job', namespace: 'default', labels: { 'cluster.x-k8s.io/drain': 'WaitCompleted' } },
      spec: {
        nodeName: 'm1',
        containers: [{ name: 'job', image: 'job' }],
        volumes: [{ name: 'data', persistentVolumeClaim: { claimName: 'data-m1' } }],
      },
      status: { phase: 'Succeeded' },
    });
    await user.delete(machineRef('m1'));
    await untilStage(user, 'WaitingForVolumeDetach');
    await user.pause(30);
    await user.patch(infrastructure, order('volume', null));
    await untilDeleted(user);
  },
};

export const machineNodeUnreachable: Workload = {
  name: 'machine-node-unreachable',
  about: 'The workload cluster is lost for seconds when the Node of a Machine with a time limit is deleted',
  notInCampaigns: 'with other faults, the Node may stay: its deletion has a time limit',
  async script(user) {
    await start(user, { nodeDeletionTimeoutSeconds: 10 });
    await user.pause(120);
    await user.pause(120);
    await user.patch(infrastructure, order('delete-hang', ''));
    await user.delete(machineRef('m1'));
    await untilStage(user, 'WaitingForInfrastructureDeletion');
    await user.pause(60);
    const workload = user.inWorkload(clusterRef());
    workload.disconnect();
    await user.patch(infrastructure, order('delete-hang', null));
    await untilStage(user, 'DeletingNode');
    await user.pause(4);
    workload.connect();
    await untilDeleted(user);
  },
};
