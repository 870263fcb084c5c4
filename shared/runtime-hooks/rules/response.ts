// What an extension's answer means: the response of its hook, or why it is none.
import { toSchemaProblem } from '../../api/schema-problem.ts';
import { toFittingMessage } from '../../conditions/limits.ts';
import type { Hook, HookResponse } from './hook.ts';

/** Characters of an extension's own words that are kept: they end up in conditions, annotations and logs. */
export const longestExtensionMessage = 2048;

/** As much of such words as is kept. Looks at no more than that: there may be twenty megabytes of them. */
export function toKept(words: string): string {
  // A character is two units at most; one more tells that something is missing.
  return toFittingMessage(words.slice(0, 2 * longestExtensionMessage + 1), longestExtensionMessage);
}

export type CheckedResponse<Response> =
  | { readonly ok: true; readonly response: Response }
  /** `unreadable`: a failure of the exchange, which a failure policy may ignore; `refused`: the extension's own word. */
  | { readonly ok: false; readonly why: 'unreadable' | 'refused'; readonly error: string };

/** Judges the decoded body of an answer with status code 200. */
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

/** What stands for the answer of an extension whose failure is ignored: success, and nothing said. */
export function ignoredResponse<Request extends object, Response extends HookResponse>(
  hook: Hook<Request, Response>,
): Response {
  return hook.response.parse({ status: 'Success' });
}

/** 0 for hooks that cannot ask to be called again. */
export function retryAfterOf(response: HookResponse): number {
  return 'retryAfterSeconds' in response ? Number(response.retryAfterSeconds) : 0;
}
