// The follow-up message that the kernel sends after a pass: its delay and its attempt.

import type { PassEnd } from '@capi-serverless/reconciler/runner';
import { toFollowUp } from '../../shared/kernel/follow-up.ts';
import { parseRequest } from '../../shared/workqueue/message.ts';

interface DelayedWork {
  readonly attempt: number;
  readonly delayMs: number;
}

const key = { managementCluster: 'mc-1', group: 'g.example.com', kind: 'Cluster', namespace: 'ns', name: 'c1' };
const now = 1_024_000; // this time is on the grid of all short delays

/** `attempt` is the number of consecutive failures before the pass. `undefined` means that nothing is sent. */
export function toFollowUpOf(end: PassEnd, attempt: number): DelayedWork | undefined {
  if (end.kind !== 'reported') {
    throw new Error(`The pass ended as ${end.kind}`);
  }
  const work = { key, messageIds: ['m1'], attempt, latestDue: undefined, causes: ['event'] };
  const context = { reconciler: 'cluster', now, fullResyncPeriodMs: undefined, newId: () => 'id' };
  const followUp = toFollowUp(end.result, { ...work, traces: ['t'] }, context);
  if (followUp === undefined) {
    return undefined;
  }
  const request = parseRequest(followUp.message.body);
  return { attempt: request.attempt, delayMs: (followUp.due ?? now) - now };
}
