// Aggregates the responses of all handlers of a hook, as upstream does.
import type { HookResponse, RetryResponse } from './hook.ts';
import { retryAfterOf, toKept } from './response.ts';

/** Returns the lowest retryAfterSeconds above 0, and all messages in the order of the calls. */
export function aggregateResponses(responses: readonly HookResponse[]): RetryResponse {
  const waits = responses.map(retryAfterOf).filter(seconds => seconds !== 0);
  const said = responses.map(({ message }) => message).filter(message => message !== '');
  return {
    status: 'Success',
    message: toKept(said.join(', ')),
    retryAfterSeconds: waits.length === 0 ? 0 : Math.min(...waits),
  };
}
