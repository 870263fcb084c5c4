// What says "look again" is never taken for a repetition of something that was sent before.
import { isJsonObject } from '../../../shared/api/json.ts';
import type { Oracle } from './monitor.ts';

/** Only these say exactly what they stand for. */
const merging: ReadonlySet<unknown> = new Set(['event', 'timer']);

export function watchLookAgain(report: (text: string) => void): Oracle {
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
