// One pass over a MachineHealthCheck, with fake reads of the management cluster and of the workload cluster.

import { refused, type Unstructured, valueAt } from '@capi-serverless/apimachinery';
import { applyMergePatch } from '@capi-serverless/apimachinery/json-patch';
import { machineHealthCheckReconciler } from '../../../../functions/machinehealthcheck/reconciler.ts';
import type { WorkloadApi } from '../../../../shared/workload/api.ts';
import { fakeReads, type ReadFault } from '../../../support/fake-reads.ts';
import { type Built, built } from '../../../support/object-builder.ts';
import { type InjectedFailure, onePass } from '../../../support/one-pass.ts';
import { conditionIn, conditionText, resultText } from '../../../support/result-text.ts';
import { aCapiCluster, HealthTestObject, machine, node, now } from './scenario-objects.ts';

const kubeconfigSecret: Unstructured = {
  ...new HealthTestObject({ apiVersion: 'v1', kind: 'Secret', name: 'c1-kubeconfig' }).build(),
  data: { value: Buffer.from('kubeconfig').toString('base64') },
};

export interface HealthCheckWorld {
  /** `null`: the Cluster is missing. */
  readonly cluster?: Built<Unstructured> | null;
  /** Default: m1 to m3. */
  readonly machines?: readonly Built<Unstructured>[];
  /** Default: n1 to n3, ready. */
  readonly nodes?: readonly Built<Unstructured>[];
  /** Other objects of the management cluster. */
  readonly objects?: readonly Built<Unstructured>[];
  readonly kubeconfig?: Unstructured | null;
  /** Default: true. */
  readonly isConnected?: boolean;
  readonly readFaults?: readonly ReadFault[];
  readonly workloadFaults?: readonly ReadFault[];
  /** The failures by action id. */
  readonly failures?: Readonly<Record<string, InjectedFailure>>;
}

export const threeMachines: readonly HealthTestObject[] = [machine(1), machine(2), machine(3)];
export const threeNodes: readonly HealthTestObject[] = [node(1), node(2), node(3)];

const fail = async () => refused({ reason: 'Unavailable', message: 'connection refused' });
const unasked = (): never => {
  throw new Error('A health check needs the conditions of Nodes');
};

export async function reconcileOnce(check: Built<Unstructured>, world: HealthCheckWorld = {}) {
  const primary = built(check);
  const machines = (world.machines ?? threeMachines).map(object => built(object));
  const others = [
    ...(world.cluster === null ? [] : [world.cluster ?? aCapiCluster()]),
    ...(world.kubeconfig === null ? [] : [world.kubeconfig ?? kubeconfigSecret]),
    ...(world.objects ?? []),
  ].map(object => built(object));
  const objects = [...machines, ...others];
  const ask = fakeReads(objects, world.readFaults);
  const workload = fakeReads(world.nodes ?? threeNodes, world.workloadFaults);
  const workloadApi: WorkloadApi = {
    reads: () =>
      world.isConnected === false
        ? { get: fail, list: fail, nodes: fail, resources: fail }
        : { ...workload, nodes: unasked, resources: unasked },
  };
  const pass = await onePass(machineHealthCheckReconciler, primary, {
    now,
    ask: { ...ask, workloadApi },
    world: [primary, ...objects],
    ...(world.failures === undefined ? {} : { failures: world.failures }),
  });
  const status = pass.report.status?.status;
  const after = (name: string): Unstructured => {
    const written = pass.outcomes.get(`machine:${name}`);
    const stored = machines.find(({ metadata }) => metadata.name === name);
    const object = written?.state === 'done' && written.object !== undefined ? written.object : stored;
    if (object === undefined) {
      throw new Error(`There is no Machine ${name}`);
    }
    return object;
  };
  return {
    ...pass,
    asked: ask.trips.flat(),
    nodesAsked: workload.trips.flat(),
    /** What the pass would store, without undefined fields. */
    status: status === undefined ? undefined : (JSON.parse(JSON.stringify(status)) as Record<string, unknown>),
    condition: (type: string) => conditionText(conditionIn(status?.['conditions'], type)),
    v1beta1: (type: string) => conditionText(conditionIn(valueAt(status ?? {}, 'deprecated.v1beta1.conditions'), type)),
    /** A condition of a Machine after the pass. */
    of: (name: string, type: string) => conditionText(conditionIn(valueAt(after(name).status, 'conditions'), type)),
    v1beta1Of: (name: string, type: string) =>
      conditionText(conditionIn(valueAt(after(name).status, 'deprecated.v1beta1.conditions'), type)),
    /** The objects that the pass writes, for example `patch Machine ns/m1`. */
    written: pass.writes.map(line => line.split(' ').slice(0, 3).join(' ')),
    events: pass.events.map(
      ({ type, reason, message, about }) =>
        `${type} ${reason} ${about === undefined ? '' : `${about.kind}/${about.metadata.name} `}${message}`,
    ),
    result: resultText(pass.report.result),
    machine: after,
    check: (status === undefined
      ? primary
      : applyMergePatch(primary, { status: JSON.parse(JSON.stringify(status)) })) as Unstructured, // true: a patched object is an object
  };
}
