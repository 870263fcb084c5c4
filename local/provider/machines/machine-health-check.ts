// Simulates the observing part of the MachineHealthCheck controller. It counts Machines and remediates none.
import type { Name, Unstructured } from '@capi-serverless/apimachinery';
import type { SimulatedProviderReconciler } from '../simulated-loss.ts';
import { holds } from './counts.ts';
import {
  coreApiVersion,
  coreKind,
  type MachineController,
  type MachineControllerInput,
  type MachineControllerPlan,
  toReconciler,
} from './machine-controller.ts';
import { adopt } from './machine-deployment.ts';
import { must, textAt, textsAt } from './read.ts';

const machineController: MachineController = {
  name: 'simulated-machine-health-check',
  kind: 'MachineHealthCheck',
  status: ['expectedMachines', 'currentHealthy', 'remediationsAllowed', 'targets', 'observedGeneration'],
  conditions: ['RemediationAllowed'],
  rules: [
    {
      apiGroups: ['cluster.x-k8s.io'],
      resources: ['machines'],
      verbs: ['get', 'list', 'watch'],
      why: 'counts Machines',
    },
  ],
  // The MachineHealthChecks whose selector matches a Machine can only be found by a list.
  watches: [
    { source: coreKind('Machine'), as: 'metadata', map: (): readonly Name[] | 'expand' => 'expand', matches: isNear },
  ],
  // Without its Cluster, the object is not reconciled.
  isOurs: (_object, cluster) => textAt(cluster, 'spec.infrastructureRef.kind').startsWith('Simulated'),
  keep,
};

export const simulatedMachineHealthCheck: SimulatedProviderReconciler = toReconciler(machineController);

function isNear(object: Unstructured, { namespace }: { readonly namespace?: string }): boolean {
  return object.metadata.namespace === namespace;
}

async function keep({
  object,
  cluster,
  ask,
}: MachineControllerInput & { readonly cluster: Unstructured }): Promise<MachineControllerPlan> {
  const { namespace = '', name } = object.metadata;
  const labels = {
    ...textsAt(object, 'spec.selector.matchLabels'),
    'cluster.x-k8s.io/cluster-name': textAt(object, 'spec.clusterName'),
  };
  const listed = await ask.list({ apiVersion: coreApiVersion, kind: 'Machine', namespace, labels });
  const machines = must(listed, `Listing Machines of MachineHealthCheck ${namespace}/${name}`);
  const targets = machines.map(({ metadata }) => metadata.name).toSorted();
  return {
    actions: adopt(object, cluster),
    status: {
      expectedMachines: targets.length,
      currentHealthy: machines.filter(machine => holds(machine, 'NodeHealthy')).length,
      remediationsAllowed: targets.length,
      targets: targets.length === 0 ? undefined : targets,
    },
    conditions: [{ type: 'RemediationAllowed', status: 'True', reason: 'RemediationAllowed' }],
  };
}
