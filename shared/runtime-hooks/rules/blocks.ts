// Responses of blocking hooks with retryAfterSeconds. Until this time has passed, the hook is not called and the stored
// response is used. The responses are stored in an annotation of the object (docs/decisions/0011-hook-answers.md).

import { compareText, type Instant } from '@capi-serverless/apimachinery';
import * as z from 'zod/mini';
import { type AnnotationChange, type Annotations, noChange } from './annotations.ts';
import type { RetryResponse } from './hook.ts';

export const blockingHooksAnnotation = 'capi-serverless.dev/blocking-hooks';

/** Upstream also limits the wait to one day. */
const longestBlockMs = 24 * 3_600_000;

interface Block {
  /** The earliest time of the next call. */
  readonly until: Instant;
  readonly message: string;
}

/** Keys are hook names. */
export type Blocks = ReadonlyMap<string, Block>;

const blocksSchema = z.record(z.string(), z.object({ until: z.iso.datetime(), message: z.string() }));

/** Never throws. An unreadable value only causes an additional call. */
export function readBlocks(annotations: Annotations): Blocks {
  const text = annotations[blockingHooksAnnotation];
  const parsed = blocksSchema.safeParse(text === undefined ? {} : parse(text));
  const entries = parsed.success ? Object.entries(parsed.data) : [];
  return new Map(entries.map(([hook, { until, message }]) => [hook, { until: Date.parse(until), message }]));
}

/** Returns the response of a hook that need not be called yet. */
interface Remembered {
  /** The stored message with the remaining wait in seconds, at least 1. */
  readonly response: RetryResponse;
  readonly remainingMs: number;
}

export function recall(blocks: Blocks, hook: { readonly name: string }, now: Instant): Remembered | undefined {
  const block = blocks.get(hook.name);
  if (block === undefined || block.until <= now || block.until > now + longestBlockMs) {
    return undefined;
  }
  const remainingMs = block.until - now;
  const retryAfterSeconds = Math.max(1, Math.round(remainingMs / 1000));
  return { response: { status: 'Success', message: block.message, retryAfterSeconds }, remainingMs };
}

/** Returns the stored responses after this response. A response that does not block is not stored. */
export function remember(
  blocks: Blocks,
  hook: { readonly name: string },
  { response, now }: { readonly response: RetryResponse; readonly now: Instant },
): Blocks {
  const others = [...blocks].filter(([name]) => name !== hook.name);
  if (response.retryAfterSeconds === 0) {
    return new Map(others);
  }
  const until = now + Math.min(response.retryAfterSeconds * 1000, longestBlockMs);
  return new Map([...others, [hook.name, { until, message: response.message }]]);
}

/** Returns the stored responses without those of a hook that is no longer defined. */
export function forget(blocks: Blocks, hook: { readonly name: string }): Blocks {
  return new Map([...blocks].filter(([name]) => name !== hook.name));
}

/** Returns a change only if the parsed content differs. The next blocking response replaces an unreadable value. */
export function storeBlocks(annotations: Annotations, blocks: Blocks): AnnotationChange {
  const value = toText(blocks);
  return value === toText(readBlocks(annotations)) ? noChange : { [blockingHooksAnnotation]: value };
}

function toText(blocks: Blocks): string | null {
  const sorted = [...blocks]
    .toSorted(([a], [b]) => compareText(a, b))
    .map(([hook, { until, message }]) => [hook, { until: new Date(until).toISOString(), message }]);
  return sorted.length === 0 ? null : JSON.stringify(Object.fromEntries(sorted));
}

/** Returns `Following hooks are blocking upgrade: A: message; B`, sorted by hook. Returns '' if no hook blocks. */
export function toBlockingMessage(action: string, responses: ReadonlyMap<string, RetryResponse>): string {
  const blocking = [...responses]
    .filter(([, { retryAfterSeconds }]) => retryAfterSeconds !== 0)
    .toSorted(([a], [b]) => compareText(a, b))
    .map(([hook, { message }]) => (message === '' ? hook : `${hook}: ${message}`));
  return blocking.length === 0 ? '' : `Following hooks are blocking ${action}: ${blocking.join('; ')}`;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
