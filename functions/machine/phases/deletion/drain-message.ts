// The message of the condition Deleting while a Node is drained. It contains the start time and no other time, so it
// changes only with the Pods.
import { compareText } from '@capi-serverless/apimachinery';
import type { Pod } from '../../../../shared/api/pod/reader.ts';
import { budgetText } from '../../../../shared/machine-collections/drain-delays.ts';
import { podName } from './classify-pods.ts';
import type { DrainRemainder } from './evictions.ts';

const maxNames = 3;
const maxFailures = 5;

/** The API server begins the text with a capital letter. */
const capitalizedBudgetText = `C${budgetText.slice(1)}`;

/** `startedAt` is an RFC 3339 time. */
export function drainMessage(remainder: DrainRemainder, startedAt: string): string {
  const { terminating, failed, waitNow, evictLater, waitLater } = remainder;
  const failures = [...failed].sort(([a], [b]) => compareText(a, b));
  const others = failures.slice(maxFailures).reduce((sum, [, pods]) => sum + pods.length, 0);
  return [
    `Drain not completed yet (started at ${startedAt}):`,
    ...line(terminating, 'deletionTimestamp set, but still not removed from the Node'),
    ...failures.slice(0, maxFailures).flatMap(([text, pods]) => line(pods, toProblem(text))),
    ...(others === 0 ? [] : [`* ${others} ${others === 1 ? 'Pod' : 'Pods'} with other issues`]),
    ...line(waitNow, 'waiting for completion'),
    ...after(evictLater, 'the following Pods will be evicted'),
    ...after(waitLater, 'waiting for the following Pods to complete without eviction'),
  ].join('\n');
}

function line(pods: readonly Pod[], text: string): readonly string[] {
  return pods.length === 0 ? [] : [`* ${pods.length === 1 ? 'Pod' : 'Pods'} ${toNames(pods, maxNames)}: ${text}`];
}

function after(pods: readonly Pod[], text: string): readonly string[] {
  const first = 'After above Pods have been removed from the Node';
  return pods.length === 0 ? [] : [`${first}, ${text}: ${toNames(pods, maxNames)}`];
}

function toNames(pods: readonly Pod[], most: number): string {
  const names = pods.slice(0, most).map(podName).join(', ');
  return pods.length > most ? `${names}, ... (${pods.length - most} more)` : names;
}

function toProblem(text: string): string {
  const lowered = text.replace(capitalizedBudgetText, budgetText);
  return lowered.startsWith(budgetText) ? lowered : `failed to evict Pod, ${lowered}`;
}
