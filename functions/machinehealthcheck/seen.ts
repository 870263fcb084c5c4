// The result of observe for one MachineHealthCheck: the input of the plan.
import type { Unstructured } from '@capi-serverless/apimachinery';
import type { Cluster } from '../../shared/api/cluster/reader.ts';
import type { MachineHealthCheck } from '../../shared/api/machine-health-check/reader.ts';
import type { JudgedTarget } from './phases/health.ts';

/** Machines or Nodes could not be read. No Machine is judged, and no status is written. */
interface ObservedWithoutTargets {
  readonly step: 'withoutTargets';
  readonly check: MachineHealthCheck;
  readonly cluster: Cluster;
  readonly error: string;
  /** The workload cluster did not answer. */
  readonly isDown: boolean;
}

/** The request for the external remediation of a Machine. */
export type ObservedRequest =
  | { readonly state: 'missing' }
  | { readonly state: 'found'; readonly object: Unstructured }
  | { readonly state: 'unreadable'; readonly error: string };

/** What was read for external remediations. */
export interface ExternalRemediation {
  /** The name of a Machine is that of its request. A Machine without entry has no request. */
  readonly requests: ReadonlyMap<string, ObservedRequest>;
  /** `notRead`: each unhealthy Machine has its request. */
  readonly template:
    | { readonly state: 'notRead' }
    | { readonly state: 'found'; readonly object: Unstructured }
    | { readonly state: 'unreadable'; readonly error: string };
}

export interface ObservedTargets {
  readonly step: 'targets';
  readonly check: MachineHealthCheck;
  readonly cluster: Cluster;
  /** Sorted by name. */
  readonly targets: readonly JudgedTarget[];
  /** `undefined` if remediation is not allowed, or if the owners of Machines remediate them. */
  readonly external: ExternalRemediation | undefined;
}

export type ObservedHealthCheck = ObservedWithoutTargets | ObservedTargets;
