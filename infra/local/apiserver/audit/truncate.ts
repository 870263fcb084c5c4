// Keeps audit events and their batches below the sizes that a webhook takes. Pure.
// https://kubernetes.io/docs/reference/command-line-tools-reference/kube-apiserver/ (--audit-webhook-truncate-…)
import { isObject, type JsonObject, without } from '../core/json.ts';

export interface TruncateLimits {
  readonly maxEventBytes: number;
  readonly maxBatchBytes: number;
}

const mark = 'audit.k8s.io/truncated';

/** A large event loses its objects and says so; undefined when that does not help. */
export function truncateEvent(event: JsonObject, { maxEventBytes }: TruncateLimits): JsonObject | undefined {
  if (bytesOf(event) <= maxEventBytes) {
    return event;
  }
  const annotations = { ...(isObject(event['annotations']) ? event['annotations'] : {}), [mark]: 'true' };
  const bare = { ...without(event, 'requestObject', 'responseObject'), annotations };
  return bytesOf(bare) <= maxEventBytes ? bare : undefined;
}

/** In order, each below the limit or of one event. */
export function splitBatch(
  events: readonly JsonObject[],
  { maxBatchBytes }: TruncateLimits,
): readonly (readonly JsonObject[])[] {
  const batches: JsonObject[][] = [];
  let room = 0;
  for (const event of events) {
    const bytes = bytesOf(event);
    const last = batches.at(-1);
    if (last === undefined || bytes > room) {
      batches.push([event]);
      room = maxBatchBytes - bytes;
    } else {
      last.push(event);
      room -= bytes;
    }
  }
  return batches;
}

function bytesOf(value: unknown): number {
  return new TextEncoder().encode(JSON.stringify(value)).length;
}
