// What the phases of a pass change in the MachinePool.
import type { Instant } from '@capi-serverless/apimachinery';
import {
  isTrue,
  setV1Beta1Conditions,
  type V1Beta1Condition,
  type V1Beta1Draft,
} from '@capi-serverless/cluster-api/conditions';
import type { StatusVersion } from '@capi-serverless/cluster-api/contract';
import {
  applied,
  changesAfter,
  noProgress,
  type Outcomes,
  type PassChange,
  type PassProgress,
  type Phase,
} from '@capi-serverless/reconciler';
import type { Cluster } from '../../../shared/api/cluster/reader.ts';
import { remoteConnectionType } from '../../../shared/api/cluster/remote-connection.ts';
import type { WholeMachinePool } from '../../../shared/api/machine-pool/whole-machine-pool.ts';
import type { DeprecatedFailure } from '../../../shared/external/external.ts';

export interface NodeReference {
  readonly name: string;
  readonly uid: string;
}

/** The deprecated counters. They count Nodes. */
export interface NodeCounts {
  readonly readyReplicas: number;
  readonly availableReplicas: number;
  /** Negative while there are more available Nodes than replicas. */
  readonly unavailableReplicas: number;
}

/** The counters of the status, and the versions. Absent values are removed from the status. */
export interface PoolCounters {
  readonly readyReplicas: number | undefined;
  readonly availableReplicas: number | undefined;
  readonly upToDateReplicas: number | undefined;
  /** `kept`: the Nodes are not known. */
  readonly versions: readonly StatusVersion[] | undefined | 'kept';
}

interface Replaced {
  /** `undefined` until a pass knows it. This also applies to the next field. */
  readonly infrastructureProvisioned: boolean | undefined;
  readonly bootstrapDataSecretCreated: boolean | undefined;
  readonly replicas: number | undefined;
  readonly nodeRefs: readonly NodeReference[];
  readonly nodeCounts: NodeCounts;
  /** The pass waits for something that reports no error. The observed generation is not stored. */
  readonly isWaiting: boolean;
}

/** The fields of the spec that a pass sets. */
export interface PoolSpecChange {
  readonly providerIDList?: readonly string[];
  readonly dataSecretName?: string;
}

export interface PoolProgress extends PassProgress, Replaced {
  readonly spec: PoolSpecChange;
  readonly failure: DeprecatedFailure;
  readonly v1beta1: readonly V1Beta1Condition[];
}

/** `spec`, `failure` and `v1beta1` are merged. */
export interface PoolChange extends PassChange, Partial<Replaced> {
  readonly spec?: PoolSpecChange;
  readonly failure?: DeprecatedFailure;
  readonly v1beta1?: readonly (V1Beta1Draft | undefined)[];
}

export type PoolPhase = Phase<PoolChange>;

export function conclude(
  pool: WholeMachinePool,
  { steps }: Pick<PoolPhase, 'steps'>,
  { outcomes, now }: { readonly outcomes: Outcomes; readonly now: Instant },
): PoolProgress {
  return changesAfter(steps, outcomes).reduce<PoolProgress>(
    (progress, change) => applyChange(progress, change, now),
    startOf(pool),
  );
}

function applyChange(progress: PoolProgress, change: PoolChange, now: Instant): PoolProgress {
  const { spec, failure, v1beta1 = [], ...common } = change;
  return {
    ...applied(progress, common),
    spec: { ...progress.spec, ...spec },
    failure: { ...progress.failure, ...failure },
    v1beta1: setV1Beta1Conditions(progress.v1beta1, v1beta1, { now }),
  };
}

function startOf({ status }: WholeMachinePool): PoolProgress {
  const { conditions, readyReplicas, availableReplicas, unavailableReplicas } = status.deprecated.v1beta1;
  const { infrastructureProvisioned, bootstrapDataSecretCreated } = status.initialization;
  return {
    ...noProgress,
    infrastructureProvisioned,
    bootstrapDataSecretCreated,
    replicas: status.replicas,
    nodeRefs: status.nodeRefs,
    nodeCounts: { readyReplicas, availableReplicas, unavailableReplicas },
    isWaiting: false,
    spec: {},
    failure: {},
    v1beta1: conditions,
  };
}

const connectionDown = 'connection to the workload cluster is down';

/**
 * A workload cluster that does not answer. Before its first probe succeeds, the pool waits for it without an error:
 * the condition RemoteConnectionProbe of the Cluster enqueues the pool.
 */
export const noClient = `error getting client: ${connectionDown}`;

/** Upstream watches Nodes once the control plane is initialized. */
export const noNodeWatch = `error creating watch machinepool-watchNodes for *v1.Node: ${connectionDown}`;

export function isInitialized({ status }: Cluster): boolean {
  return isTrue(status.conditions, 'ControlPlaneInitialized');
}

/** `error` has the prefix of its phase. */
export function whenDown({ status }: Cluster, error: string): PoolChange {
  return isTrue(status.conditions, remoteConnectionType) ? { errors: [error] } : { isWaiting: true };
}
