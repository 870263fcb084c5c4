// Checks the answer of an extension. Returns the response of the hook, or the reason why the answer is not valid.
import { toSchemaProblem } from '@capi-serverless/apimachinery';
import { toFittingMessage } from '@capi-serverless/cluster-api/conditions';
import type { Hook, HookResponse } from './hook.ts';

/**
 * The maximum length of an extension's message in characters. Messages are written to conditions, annotations and logs.
 */
const longestExtensionMessage = 2048;

/** Truncates a message. Reads only a prefix, because an answer may have twenty megabytes. */
export function toKept(words: string): string {
  // A character has at most two code units. One unit more shows that the message was truncated.
  return toFittingMessage(words.slice(0, 2 * longestExtensionMessage + 1), longestExtensionMessage);
}

type CheckedResponse<Response> =
  | { readonly ok: true; readonly response: Response }
  /**
   * `unreadable`: not valid, which a failure policy may ignore. `refused`: the extension did not answer with success.
   */
  | { readonly ok: false; readonly why: 'unreadable' | 'refused'; readonly error: string };

/** Checks the decoded body of an answer with status code 200. */
export function checkResponse<Request extends object, Response extends HookResponse>(
  hook: Hook<Request, Response>,
  body: unknown,
): CheckedResponse<Response> {
  const parsed = hook.response.safeParse(body);
  if (!parsed.success) {
    const error = `http call failed: failed to decode response: ${toSchemaProblem(parsed.error)}`;
    return { ok: false, why: 'unreadable', error };
  }
  const response = { ...parsed.data, message: toKept(parsed.data.message) };
  const { status, message } = response;
  if (status === 'Failure') {
    return { ok: false, why: 'refused', error: `got failure response with message: ${message}` };
  }
  if (status !== 'Success') {
    const shown = JSON.stringify(toKept(status));
    return { ok: false, why: 'refused', error: `got unknown response status ${shown} with message: ${message}` };
  }
  const retryAfterSeconds = retryAfterOf(response);
  if (retryAfterSeconds < 0) {
    const error = `got invalid response: retryAfterSeconds ${retryAfterSeconds} must not be negative`;
    return { ok: false, why: 'refused', error };
  }
  return { ok: true, response };
}

/** The response if a failure is ignored: success without content. */
export function ignoredResponse<Request extends object, Response extends HookResponse>(
  hook: Hook<Request, Response>,
): Response {
  return hook.response.parse({ status: 'Success' });
}

/** Returns 0 for hooks that cannot block. */
export function retryAfterOf(response: HookResponse): number {
  return 'retryAfterSeconds' in response ? Number(response.retryAfterSeconds) : 0;
}
