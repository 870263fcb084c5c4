// Calls all handlers of a blocking hook, unless their retryAfterSeconds has not passed yet.
import type { Instant } from '@capi-serverless/apimachinery';
import { type HookAnswer, hookAnswered } from './answer.ts';
import type { CallToAllExtensions, HookCalls } from './calls.ts';
import { type Blocks, forget, recall, remember } from './rules/blocks.ts';
import type { Hook, RetryResponse } from './rules/hook.ts';

interface BlockingCall<Request> extends CallToAllExtensions<Request> {
  /** The stored responses of the object's hooks, see `readBlocks`. */
  readonly blocks: Blocks;
  readonly now: Instant;
}

interface BlockingVerdict {
  /** Whether any handler is registered. Without a handler, the hook does not block. */
  readonly isDefined: boolean;
  readonly response: RetryResponse;
  /** The time from now for which the hook blocks. 0 means that it does not block. */
  readonly waitMs: number;
  /** The responses that must be stored, see `storeBlocks`. */
  readonly blocks: Blocks;
}

const nothingSaid: RetryResponse = { status: 'Success', message: '', retryAfterSeconds: 0 };

/** A failure does not change the stored responses. */
export async function callBlocking<Request extends object>(
  calls: Pick<HookCalls, 'registered' | 'callAll'>,
  hook: Hook<Request, RetryResponse>,
  { object, request, blocks, now }: BlockingCall<Request>,
): Promise<HookAnswer<BlockingVerdict>> {
  const registered = await calls.registered(hook, object);
  if (!registered.ok) {
    return registered;
  }
  if (registered.value.length === 0) {
    return hookAnswered({ isDefined: false, response: nothingSaid, waitMs: 0, blocks: forget(blocks, hook) });
  }
  const remembered = recall(blocks, hook, now);
  if (remembered !== undefined) {
    const { response, remainingMs } = remembered;
    return hookAnswered({ isDefined: true, response, waitMs: remainingMs, blocks });
  }
  const answer = await calls.callAll(hook, { object, request });
  if (!answer.ok) {
    return answer;
  }
  const response = answer.value;
  const kept = remember(blocks, hook, { response, now });
  return hookAnswered({ isDefined: true, response, waitMs: response.retryAfterSeconds * 1000, blocks: kept });
}
