// A message that requests another reconcile is never deduplicated with an earlier message.
import { isJsonObject } from '@capi-serverless/apimachinery';
import type { Oracle } from './monitor.ts';

/** Only these causes may be deduplicated by version. */
const merging: ReadonlySet<unknown> = new Set(['event', 'timer']);

export function watchRechecks(report: (text: string) => void): Oracle {
  const seen = new Set<string>();
  return {
    sent({ queue, message: { body, deduplicationId }, sender }) {
      if (deduplicationId === undefined) {
        return;
      }
      const request: unknown = JSON.parse(body);
      const cause = isJsonObject(request) ? request['cause'] : undefined;
      const id = `${queue} ${deduplicationId}`;
      if (!merging.has(cause) && seen.has(id)) {
        report(`D4: ${sender} sent a message of cause ${String(cause)} with an id that was used before: ${body}`);
      }
      seen.add(id);
    },
  };
}
