// What the phases of a pass change in the status of the Cluster.
import type { Instant } from '@capi-serverless/apimachinery';
import {
  setV1Beta1Conditions,
  type V1Beta1Condition,
  type V1Beta1Draft,
} from '@capi-serverless/cluster-api/conditions';
import type { FailureDomain } from '@capi-serverless/cluster-api/contract';
import { applied, type PassChange, type PassProgress, type Phase } from '@capi-serverless/reconciler';
import type { DeprecatedFailure } from '../../../shared/external/external.ts';

/** The reason why the Cluster still exists although its deletion was requested. */
export interface Deleting {
  readonly reason: string;
  readonly message: string;
}

/** The state of the Cluster after the previous steps. */
export interface ClusterProgress extends PassProgress {
  readonly infrastructureProvisioned: boolean;
  readonly controlPlaneInitialized: boolean;
  /** If `undefined`, the stored failure domains are kept. */
  readonly failureDomains: readonly FailureDomain[] | undefined;
  readonly deleting: Deleting;
  readonly failure: DeprecatedFailure;
  readonly v1beta1: readonly V1Beta1Condition[];
}

type Replaced = 'infrastructureProvisioned' | 'controlPlaneInitialized' | 'failureDomains' | 'deleting';

/** `failure` and `v1beta1` are merged. */
export interface ClusterPassChange extends PassChange, Partial<Pick<ClusterProgress, Replaced>> {
  readonly failure?: DeprecatedFailure;
  readonly v1beta1?: readonly (V1Beta1Draft | undefined)[];
}

export type ClusterPhase = Phase<ClusterPassChange>;

export function applyChange(
  progress: ClusterProgress,
  { failure, v1beta1 = [], ...change }: ClusterPassChange,
  now: Instant,
): ClusterProgress {
  return {
    ...applied(progress, change),
    failure: { ...progress.failure, ...failure },
    v1beta1: setV1Beta1Conditions(progress.v1beta1, v1beta1, { now }),
  };
}
