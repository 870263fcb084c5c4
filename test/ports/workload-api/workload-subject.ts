import { type Intent, type Kubernetes, toRef, type Unstructured } from '@capi-serverless/apimachinery';
import type { WorkloadWriters } from '@capi-serverless/reconciler/runner';
import type { WorkloadFault } from '../../../shared/kubernetes/memory/memory-workload.ts';
import type { WorkloadApi } from '../../../shared/workload/api.ts';
import type { ProbeTarget } from '../../../shared/workload/port.ts';
import type { SteppedClock } from '../../support/stepped-clock.ts';
import { expectValue } from '../answers.ts';

/** New clients of one workload cluster. */
export interface WorkloadSubject {
  readonly api: WorkloadApi;
  readonly writers: WorkloadWriters;
  readonly clock: SteppedClock;
  readonly target: ProbeTarget;
  /** The number of requests that the cluster has received from these clients. */
  sent(): number;
}

/** The objects of the cluster, through a client without faults. */
export interface HealthySubject extends WorkloadSubject {
  readonly kubernetes: Kubernetes;
}

export interface FaultySubject extends WorkloadSubject {
  /** The fault of all further requests. Without one, the cluster answers reads of Nodes with an empty list. */
  set(fault: WorkloadFault | undefined): void;
}

export interface HealthySetup {
  /** Returns new clients. The objects of other cases may exist. */
  openHealthy(): Promise<HealthySubject>;
  close(): Promise<void>;
}

export interface FaultySetup {
  openFaulty(fault: WorkloadFault): Promise<FaultySubject>;
  close(): Promise<void>;
}

export const { signal } = new AbortController();

export const clusterOf = ({ target }: WorkloadSubject) => ({ uid: target.cluster, namespace: 'ns', name: 'c1' });

export const nodeRef = (name: string) => ({ apiVersion: 'v1', kind: 'Node', name }) as const;

export const aNode = (name: string, providerID?: string): Intent => ({
  ...nodeRef(name),
  metadata: { name },
  spec: { ...(providerID === undefined ? {} : { providerID }) },
});

export const aPod = (name: string, nodeName: string): Intent => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name, namespace: 'default' },
  spec: { nodeName, containers: [{ name: 'main', image: 'example.com/main' }] },
});

export async function given({ kubernetes }: HealthySubject, object: Intent): Promise<Unstructured> {
  return expectValue(await kubernetes.create(object));
}

/** Sets the status of a Pod whose containers run. */
export async function run({ kubernetes }: HealthySubject, pod: Unstructured): Promise<void> {
  const status = { phase: 'Running', conditions: [{ type: 'Ready', status: 'True' }] };
  expectValue(await kubernetes.mergePatch(toRef(pod), { status }, { subresource: 'status' }));
}
