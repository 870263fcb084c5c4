// The writes of actions that are aimed at a workload cluster.
import {
  type Answer,
  answered,
  type Clock,
  type Evictions,
  type Instant,
  type JsonObject,
  type ObjectRef,
  type Reads,
  refused,
  type Unstructured,
  type Writes,
  withoutUndefined,
} from '@capi-serverless/apimachinery';
import { type Action, evictionReserveMs, evictionsTimeoutMs, manifestReserveMs, type WorkloadTarget } from './types.ts';

/** The creation of objects that a tenant describes. */
interface Manifests {
  /**
   * Sends the object as it is, except for the namespace if that of `place` is absent. The server generates the name if
   * that of `place` is "".
   */
  createManifest(object: JsonObject, place: ObjectRef): Promise<Answer<Unstructured>>;
}

/** The client of one workload cluster. `metadata` repeats a contested patch. */
export type WorkloadWrites = Pick<Writes, 'mergePatch' | 'delete'> & Pick<Reads, 'metadata'> & Evictions & Manifests;

/** Returns the client of a workload cluster. Each of its requests fails if there is no connection. */
export type WorkloadWriters = (target: WorkloadTarget) => WorkloadWrites;

/** Used by reconcilers without workload clusters. Throws, because such an action is a defect of the reconciler. */
export function noWorkloadClusters({ namespace, name }: WorkloadTarget): never {
  throw new Error(`No client is configured for the workload cluster of Cluster ${namespace}/${name}`);
}

interface EvictingContext {
  readonly clock: Pick<Clock, 'now'>;
  /** The time at which the invocation ends. If `undefined`, there is no limit. */
  readonly deadline?: Instant | undefined;
}

/**
 * Evicts Pods. The time limit of all evictions of a pass starts with the first one. It ends earlier if the invocation
 * ends before.
 */
export class Evicting {
  readonly #clock: Pick<Clock, 'now'>;
  readonly #end: Instant;
  #startedAt: Instant | undefined;

  constructor({ clock, deadline = Number.POSITIVE_INFINITY }: EvictingContext) {
    this.#clock = clock;
    this.#end = deadline - evictionReserveMs;
  }

  async evict(writers: WorkloadWriters, action: Extract<Action, { do: 'evict' }>): Promise<Answer<undefined>> {
    const now = this.#clock.now();
    this.#startedAt ??= now;
    if (now - this.#startedAt >= evictionsTimeoutMs) {
      const message = `eviction timeout of ${evictionsTimeoutMs / 1000}s reached, eviction will be retried`;
      return refused({ reason: 'Aborted', message });
    }
    if (now >= this.#end) {
      return refused({ reason: 'Aborted', message: 'no time is left for evictions, eviction will be retried' });
    }
    const { pod, uid, gracePeriodSeconds } = action;
    return writers(action.target).evict(pod, { uid, ...withoutUndefined({ gracePeriodSeconds }) });
  }
}

interface ManifestContext {
  readonly workload: WorkloadWriters;
  readonly clock: Pick<Clock, 'now'>;
  /** If `undefined`, there is no limit. */
  readonly deadline?: Instant | undefined;
}

/** Creates or changes one object. The answer of the workload cluster is not kept, because its tenant controls it. */
export async function writeManifest(
  { workload, clock, deadline }: ManifestContext,
  { place, object, change, keepsExisting, target }: Extract<Action, { do: 'manifest' }>,
): Promise<Answer<undefined>> {
  if (deadline !== undefined && clock.now() >= deadline - manifestReserveMs) {
    return refused({ reason: 'Aborted', message: 'the time for manifests is over' });
  }
  const writes = workload(target);
  const answer = await (change === undefined ? writes.createManifest(object, place) : writes.mergePatch(place, change));
  const isKept = !answer.ok && answer.failure.reason === 'AlreadyExists' && keepsExisting;
  return answer.ok || isKept ? answered(undefined) : answer;
}
