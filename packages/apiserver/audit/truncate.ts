// Keeps audit events and batches below the size limits of a webhook. Pure.
// https://kubernetes.io/docs/reference/command-line-tools-reference/kube-apiserver/ (--audit-webhook-truncate-…)
import { isJsonObject, type JsonObject } from '@capi-serverless/apimachinery';
import { without } from '../core/json.ts';

export interface TruncateLimits {
  readonly maxEventBytes: number;
  readonly maxBatchBytes: number;
}

const mark = 'audit.k8s.io/truncated';

/** Removes the objects from a large event and annotates it. Returns undefined if the event is still too large. */
export function truncateEvent(event: JsonObject, { maxEventBytes }: TruncateLimits): JsonObject | undefined {
  if (bytesOf(event) <= maxEventBytes) {
    return event;
  }
  const annotations = { ...(isJsonObject(event['annotations']) ? event['annotations'] : {}), [mark]: 'true' };
  const bare = { ...without(event, 'requestObject', 'responseObject'), annotations };
  return bytesOf(bare) <= maxEventBytes ? bare : undefined;
}

/** Returns batches in order. Each batch is below the limit or contains one event. */
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
