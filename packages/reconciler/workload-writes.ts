// The writes of actions that are aimed at a workload cluster.
import {
  type Answer,
  type Clock,
  type Evictions,
  type Instant,
  type Reads,
  refused,
  type Writes,
} from '@capi-serverless/apimachinery';
import { type Action, evictionsTimeoutMs, type WorkloadTarget } from './types.ts';

/** The client of one workload cluster. `metadata` repeats a contested patch. */
export type WorkloadWrites = Pick<Writes, 'mergePatch' | 'delete'> & Pick<Reads, 'metadata'> & Evictions;

/** Returns the client of a workload cluster. Each of its requests fails if there is no connection. */
export type WorkloadWriters = (target: WorkloadTarget) => WorkloadWrites;

/** Used by reconcilers without workload clusters. Throws, because such an action is a defect of the reconciler. */
export function noWorkloadClusters({ namespace, name }: WorkloadTarget): never {
  throw new Error(`No client is configured for the workload cluster of Cluster ${namespace}/${name}`);
}

/** Evicts Pods. The time limit of all evictions of a pass starts with the first one. */
export class Evicting {
  readonly #clock: Pick<Clock, 'now'>;
  #startedAt: Instant | undefined;

  constructor(clock: Pick<Clock, 'now'>) {
    this.#clock = clock;
  }

  async evict(writers: WorkloadWriters, action: Extract<Action, { do: 'evict' }>): Promise<Answer<undefined>> {
    const now = this.#clock.now();
    this.#startedAt ??= now;
    if (now - this.#startedAt >= evictionsTimeoutMs) {
      const message = `eviction timeout of ${evictionsTimeoutMs / 1000}s reached, eviction will be retried`;
      return refused({ reason: 'Aborted', message });
    }
    const { pod, uid, gracePeriodSeconds } = action;
    return writers(action.target).evict(pod, {
      uid,
      ...(gracePeriodSeconds === undefined ? {} : { gracePeriodSeconds }),
    });
  }
}
