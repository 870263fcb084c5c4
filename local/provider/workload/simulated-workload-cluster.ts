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
import { type TrackedChange, TrackedObjects } from './tracked-objects.ts';
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
  const kubelets = new Kubelets(core, now);
  return { core, follow: machines => kubelets.follow(machines) };
}

const noMachines: ReadonlySet<SimulatedNode> = new Set();

/** Examines only what changed, because it runs before each request. */
class Kubelets {
  readonly #core: ApiCore;
  readonly #now: () => Instant;
  readonly #objects: ClusterObjects;
  readonly #nodes: TrackedObjects;
  readonly #pods: TrackedObjects;
  readonly #attachments: TrackedObjects;
  /** The machines that have registered a Node, by id. A kubelet does not register a Node that was deleted again. */
  readonly #registered = new Map<string, SimulatedNode>();
  /** The machines of the last call. */
  #machines: readonly SimulatedNode[] = [];
  /** The Pods that wait for their kubelet or for the time, by key. */
  readonly #unsettled = new Map<string, Unstructured>();

  constructor(core: ApiCore, now: () => Instant) {
    this.#core = core;
    this.#now = now;
    this.#objects = objectsOf(core, 'simulated-kubelet');
    this.#nodes = new TrackedObjects(core, 'v1', 'Node');
    this.#pods = new TrackedObjects(core, 'v1', 'Pod');
    this.#attachments = new TrackedObjects(core, 'storage.k8s.io/v1', 'VolumeAttachment');
  }

  follow(machines: readonly SimulatedNode[]): void {
    const now = this.#now();
    const changed = machines === this.#machines ? noMachines : this.#register(machines, now);
    this.#machines = machines;
    const nodes = this.#nodes.takeChanges();
    const attachments = this.#attachments.takeChanges();
    const due = new Set([
      ...nodes.map(({ key }) => key),
      ...attachments.map(({ object, previous }) => textAt(object ?? previous ?? {}, 'spec.nodeName')),
    ]);
    if (changed.size > 0 || due.size > 0) {
      for (const machine of machines.filter(each => changed.has(each) || due.has(each.name))) {
        this.#report(machine, now);
      }
    }
    this.#trackPods(nodes);
    this.#endPods(machines, now);
    countBudgets(this.#objects, now);
    for (let round = 0; round < maxRounds && this.#core.hasWork(); round += 1) {
      this.#core.collectGarbage();
      this.#core.finalize();
    }
  }

  /** Returns the machines that are new, or differ from those of the last call. */
  #register(machines: readonly SimulatedNode[], now: Instant): ReadonlySet<SimulatedNode> {
    const current = new Set(machines.map(({ id }) => id));
    // Before others are registered, because another machine may have the same name.
    for (const [id, machine] of this.#registered) {
      if (!current.has(id)) {
        this.#registered.delete(id);
        lose(this.#objects, machine, now);
      }
    }
    const changed = machines.filter(machine => this.#registered.get(machine.id) !== machine);
    for (const machine of changed) {
      if (!this.#registered.has(machine.id)) {
        register(this.#objects, machine, now);
      }
      this.#registered.set(machine.id, machine);
    }
    return new Set(changed);
  }

  #report(machine: SimulatedNode, now: Instant): void {
    const node = this.#objects.find('v1', 'Node', machine.name);
    if (node !== undefined) {
      setConditions(this.#objects, node, toConditions(machine, now));
      attach(this.#objects, machine, this.#attachments.objects);
    }
  }

  #trackPods(nodes: readonly TrackedChange[]): void {
    const changed = this.#pods.takeChanges().map(({ key }) => key);
    const lost = new Set(nodes.filter(({ object }) => object === undefined).map(({ key }) => key));
    const orphaned =
      lost.size === 0
        ? []
        : [...this.#pods.objects].filter(([, pod]) => lost.has(textAt(pod, 'spec.nodeName'))).map(([key]) => key);
    for (const key of [...changed, ...orphaned]) {
      const pod = this.#pods.objects.get(key);
      if (pod === undefined || this.#isSettled(pod)) {
        this.#unsettled.delete(key);
      } else {
        this.#unsettled.set(key, pod);
      }
    }
  }

  #isSettled(pod: Unstructured): boolean {
    return (
      !this.#isOrphaned(pod) &&
      pod.metadata.deletionTimestamp === undefined &&
      textAt(pod, 'status.phase') !== 'Pending'
    );
  }

  #isOrphaned(pod: Unstructured): boolean {
    const nodeName = textAt(pod, 'spec.nodeName');
    return nodeName !== '' && !this.#nodes.objects.has(nodeName);
  }

  /** Starts Pods, ends Pods after their grace period, and removes the Pods of deleted Nodes. */
  #endPods(machines: readonly SimulatedNode[], now: Instant): void {
    if (this.#unsettled.size === 0) {
      return;
    }
    const states = new Map(machines.map(({ name, state }) => [name, state]));
    for (const pod of this.#unsettled.values()) {
      const endsAt = instantOf(pod.metadata.deletionTimestamp);
      const state = states.get(textAt(pod, 'spec.nodeName'));
      const hasKubelet = state !== undefined && state !== 'unreachable';
      if (this.#isOrphaned(pod) || (hasKubelet && endsAt !== undefined && endsAt <= now)) {
        this.#objects.remove(pod);
      } else if (hasKubelet && endsAt === undefined && textAt(pod, 'status.phase') === 'Pending') {
        this.#objects.setStatus(pod, runningPod);
      }
    }
  }
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

function attach(objects: ClusterObjects, machine: SimulatedNode, attachments: ReadonlyMap<string, Unstructured>): void {
  const { name, volume, attachment, attached } = toVolume(machine);
  const existing = attachments.get(name);
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

function countBudgets(objects: ClusterObjects, now: Instant): void {
  const budgets = objects.list('policy/v1', 'PodDisruptionBudget');
  const pods = budgets.length === 0 ? [] : objects.list('v1', 'Pod');
  for (const budget of budgets) {
    objects.setStatus(budget, countBudget(budget, pods, now));
  }
}
