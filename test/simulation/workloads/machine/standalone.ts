// Machines without owner, with simulated bootstrap data and infrastructure, in a Cluster with an API server.

import { type Intent, type ObjectRef, valueAt } from '@capi-serverless/apimachinery';
import { endWithoutNode, nodeRef, start, untilDeleted, untilRunning } from '../machine-steps.ts';
import { machineRef } from '../members.ts';
import { clusterRef, conditionOf, isGone, toIntent, type Workload } from '../workload.ts';

const budgetRef: ObjectRef = {
  apiVersion: 'policy/v1',
  kind: 'PodDisruptionBudget',
  namespace: 'default',
  name: 'web',
};

export const machineLife: Workload = {
  name: 'machine-life',
  about: 'A Machine is created, gets a Node, and is deleted with a drain',
  long: true,
  async script(user) {
    await start(user);
    await user.delete(machineRef('m1'));
    await untilDeleted(user);
  },
};

const hook = 'pre-drain.delete.hook.machine.cluster.x-k8s.io/backup';

export const machineHook: Workload = {
  name: 'machine-hook',
  about: 'The deletion of a Machine waits for a hook before its Node is drained',
  long: true,
  async script(user) {
    await start(user, { annotations: { [hook]: 'backup' } });
    await user.delete(machineRef('m1'));
    await user.until(
      'the Machine to wait for the hook',
      machineRef('m1'),
      machine => conditionOf(machine, 'Deleting') === 'True',
    );
    // Longer than a deletion without hook takes.
    await user.pause(90);
    await user.patch(machineRef('m1'), { metadata: { annotations: { [hook]: null } } });
    await untilDeleted(user);
  },
};

export const machineBudget: Workload = {
  name: 'machine-budget',
  about: 'A PodDisruptionBudget blocks the drain of a Machine in deletion, and later allows it',
  long: true,
  async script(user) {
    await start(user);
    const workload = user.inWorkload(clusterRef());
    await workload.create({
      ...toIntent(budgetRef),
      spec: { minAvailable: 1, selector: { matchLabels: { app: 'web' } } },
    });
    await user.delete(machineRef('m1'));
    await user.pause(30);
    await workload.patch(budgetRef, { spec: { minAvailable: 0 } });
    await untilDeleted(user);
  },
};

/** The names are in the order in which a drain evicts the Pods. */
const membersOfSet = Array.from({ length: 10 }, (_, ordinal) => `db-${ordinal}`);

const memberOn = (nodeName: string, name: string): Intent => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name, namespace: 'default' },
  spec: { nodeName, containers: [{ name: 'db', image: 'db' }] },
});

export const machineReplacedPods: Workload = {
  name: 'machine-replaced-pods',
  about: 'While the Node of a Machine is drained, its Pods are replaced by Pods of the same name on another Node',
  long: true,
  async script(user) {
    await start(user);
    await untilRunning(user, 'cp');
    const workload = user.inWorkload(clusterRef());
    await workload.create(...membersOfSet.map(name => memberOn('m1', name)));
    await user.delete(machineRef('m1'));
    await workload.until(
      'its Node to be cordoned',
      nodeRef('m1'),
      node => node === undefined || valueAt(node.spec, 'unschedulable') === true,
    );
    for (const name of membersOfSet.toReversed()) {
      await workload.replace(memberOn('cp', name));
    }
    await untilDeleted(user);
  },
};

export const machineNodeLost: Workload = {
  name: 'machine-node-lost',
  about: 'The Node of a running Machine is deleted by a user, and then the Machine',
  long: true,
  async script(user) {
    await start(user);
    await user.inWorkload(clusterRef()).delete(nodeRef('m1'));
    await endWithoutNode(user);
  },
};

export const machineOfCluster: Workload = {
  name: 'machine-of-cluster',
  about: 'A Cluster with a running Machine is deleted: the Machine goes without a drain',
  long: true,
  async script(user) {
    await start(user);
    await user.delete(clusterRef());
    await user.until('the Cluster to be gone', clusterRef(), isGone);
    await user.until('the Machine to be gone', machineRef('m1'), isGone);
  },
};
