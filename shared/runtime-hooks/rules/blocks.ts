// Hooks that asked to be called again later: until then nobody calls them, and what they said is still told. Kept in an
// annotation of the object itself, so that it lives and dies with it (docs/decisions/0011-hook-answers.md).
import * as z from 'zod/mini';
import type { Instant } from '../../api/object.ts';
import { compareText } from '../../names/text-order.ts';
import { type AnnotationChange, type Annotations, noChange } from './annotations.ts';
import type { RetryResponse } from './hook.ts';

export const blockingHooksAnnotation = 'capi-serverless.dev/blocking-hooks';

/** Upstream forgets after a day, whatever the extension asked for. */
const longestBlockMs = 24 * 3_600_000;

export interface Block {
  /** The earliest time of the next call. */
  readonly until: Instant;
  readonly message: string;
}

/** By the name of the hook. */
export type Blocks = ReadonlyMap<string, Block>;

const blocksSchema = z.record(z.string(), z.object({ until: z.iso.datetime(), message: z.string() }));

/** Never throws: what cannot be read, or nobody here wrote, costs a call and nothing else. */
export function readBlocks(annotations: Annotations): Blocks {
  const text = annotations[blockingHooksAnnotation];
  const parsed = blocksSchema.safeParse(text === undefined ? {} : parse(text));
  const entries = parsed.success ? Object.entries(parsed.data) : [];
  return new Map(entries.map(([hook, { until, message }]) => [hook, { until: Date.parse(until), message }]));
}

/** What a hook says that need not be called yet; `undefined` when it must. */
export interface Remembered {
  /** As the extension would answer now: the same words, and what is left of the wait in seconds, at least 1. */
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

/** What is remembered after the hook gave this answer: of a hook that does not block, nothing. */
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

/** What is remembered once the hook is not defined any more. */
export function forget(blocks: Blocks, hook: { readonly name: string }): Blocks {
  return new Map([...blocks].filter(([name]) => name !== hook.name));
}

/** Writes only what differs in meaning: a foreign or unreadable value goes with the first block. */
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

/** `Following hooks are blocking upgrade: A: message; B`, in the order of the hooks' names; '' when none blocks. */
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
