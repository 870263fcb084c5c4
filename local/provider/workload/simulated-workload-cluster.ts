// A simulated workload cluster: an API server in memory whose Nodes, Pods and budgets follow the machines and the clock.
// It keeps no timers. Each call of `follow` does what kubelets and controllers have done until then.
import {
  type Instant,
  isJsonObject,
  type JsonObject,
  memberOf,
  type Unstructured,
} from '@capi-serverless/apimachinery';
import { instantOf } from '@capi-serverless/apimachinery/timestamp';
import { type ApiCore, type ApiCoreOptions, createApiCore } from '@capi-serverless/apiserver/core';
import { workloadKinds } from '@capi-serverless/apiserver/workload';
import { textAt } from '../machines/read.ts';
import { countBudget } from './count-budgets.ts';
import { type ClusterObjects, objectsOf } from './objects-of-cluster.ts';
import type { SimulatedNode } from './simulated-node.ts';
import {
  kubeProxySet,
  runningPod,
  sameConditions,
  toConditions,
  toNode,
  toPods,
  toVolume,
} from './workload-objects.ts';

export interface SimulatedWorkloadCluster {
  readonly core: ApiCore;
  /** Updates the objects for these machines and this time. */
  follow(machines: readonly SimulatedNode[]): void;
}

/** The rounds of the garbage collector in one call. More work is left for the next call. */
const maxRounds = 10;

/** The core of a new workload cluster. It keeps a short history, because few clients watch it. */
export function createWorkloadCore(options: Pick<ApiCoreOptions, 'now' | 'ids'>): ApiCore {
  return createApiCore({ ...options, kinds: workloadKinds, window: { changes: 100, ms: 60_000, most: 1000 } });
}

export function simulateWorkloadCluster(core: ApiCore, now: () => Instant): SimulatedWorkloadCluster {
  const objects = objectsOf(core, 'simulated-kubelet');
  /** The machines that have registered a Node, by id. A kubelet does not register a Node that was deleted again. */
  const registered = new Map<string, SimulatedNode>();
  return {
    core,
    follow(machines) {
      const current = new Map(machines.map(machine => [machine.id, machine]));
      // Before others are registered, because another machine may have the same name.
      for (const [id, machine] of registered) {
        if (!current.has(id)) {
          registered.delete(id);
          lose(objects, machine, now());
        }
      }
      for (const machine of machines) {
        if (!registered.has(machine.id)) {
          register(objects, machine, now());
        }
        registered.set(machine.id, machine);
      }
      for (const machine of machines) {
        report(objects, machine, now());
      }
      endPods(objects, machines, now());
      countBudgets(objects, now());
      for (let round = 0; round < maxRounds && core.hasWork(); round += 1) {
        core.collectGarbage();
        core.finalize();
      }
    },
  };
}

function register(objects: ClusterObjects, machine: SimulatedNode, now: Instant): void {
  objects.ensure(toNode(machine, now));
  const { metadata } = objects.ensure(kubeProxySet);
  for (const pod of toPods(machine, metadata.uid)) {
    objects.ensure(pod);
  }
}

/** The Node of a deleted machine stays. The Node of a deleted instance of a pool goes. */
function lose(objects: ClusterObjects, machine: SimulatedNode, now: Instant): void {
  const node = objects.find('v1', 'Node', machine.name);
  if (node === undefined || textAt(node, 'spec.providerID') !== machine.providerID) {
    return;
  }
  if (machine.isPooled) {
    objects.remove(node);
    return;
  }
  setConditions(objects, node, toConditions({ state: 'unreachable', message: '' }, now));
}

function setConditions(objects: ClusterObjects, node: Unstructured, conditions: readonly JsonObject[]): void {
  if (!sameConditions(memberOf(node.status, 'conditions'), conditions)) {
    objects.setStatus(node, { conditions });
  }
}

function report(objects: ClusterObjects, machine: SimulatedNode, now: Instant): void {
  const node = objects.find('v1', 'Node', machine.name);
  if (node === undefined) {
    return;
  }
  setConditions(objects, node, toConditions(machine, now));
  attach(objects, machine);
}

function attach(objects: ClusterObjects, machine: SimulatedNode): void {
  const { name, volume, attachment, attached } = toVolume(machine);
  const existing = objects.find('storage.k8s.io/v1', 'VolumeAttachment', name);
  if (machine.hasVolume === (existing !== undefined)) {
    return;
  }
  if (existing === undefined) {
    objects.ensure(volume);
    objects.setStatus(objects.ensure(attachment), { attached: true });
  } else {
    objects.remove(existing);
    const stored = objects.find('v1', 'PersistentVolume', name);
    if (stored !== undefined) {
      objects.remove(stored);
    }
  }
  const node = objects.find('v1', 'Node', machine.name);
  if (node !== undefined) {
    const list = memberOf(node.status, 'volumesAttached');
    const others = (Array.isArray(list) ? list.filter(isJsonObject) : []).filter(
      each => each['name'] !== attached['name'],
    );
    objects.setStatus(node, { volumesAttached: machine.hasVolume ? [...others, attached] : others });
  }
}

/** Starts Pods, ends Pods after their grace period, and removes the Pods of deleted Nodes. */
function endPods(objects: ClusterObjects, machines: readonly SimulatedNode[], now: Instant): void {
  const nodes = new Set(objects.list('v1', 'Node').map(({ metadata }) => metadata.name));
  const silent = new Set(machines.filter(({ state }) => state === 'unreachable').map(({ name }) => name));
  const known = new Set(machines.map(({ name }) => name));
  for (const pod of objects.list('v1', 'Pod')) {
    const nodeName = textAt(pod, 'spec.nodeName');
    const endsAt = instantOf(pod.metadata.deletionTimestamp);
    const hasKubelet = known.has(nodeName) && !silent.has(nodeName);
    if (nodeName !== '' && !nodes.has(nodeName)) {
      objects.remove(pod);
    } else if (endsAt !== undefined) {
      if (hasKubelet && endsAt <= now) {
        objects.remove(pod);
      }
    } else if (hasKubelet && textAt(pod, 'status.phase') === 'Pending') {
      objects.setStatus(pod, runningPod);
    }
  }
}

function countBudgets(objects: ClusterObjects, now: Instant): void {
  const budgets = objects.list('policy/v1', 'PodDisruptionBudget');
  const pods = budgets.length === 0 ? [] : objects.list('v1', 'Pod');
  for (const budget of budgets) {
    objects.setStatus(budget, countBudget(budget, pods, now));
  }
}
