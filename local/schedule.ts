// Invokes a function at a fixed rate, as an EventBridge rule does.
// https://docs.aws.amazon.com/eventbridge/latest/userguide/eb-create-rule-schedule.html

import { randomUUID } from 'node:crypto';
import type { Clock } from '@capi-serverless/apimachinery';
import { toTimestamp } from '@capi-serverless/apimachinery/timestamp';
import type { Log } from '@capi-serverless/reconciler';
import type { ScheduledEvent } from 'aws-lambda';
import { type InvocationFact, invocations } from '../shared/diagnostics/channels.ts';
import { invoke, type LocalFunction, localAccount, localRegion } from './local-lambda.ts';

export interface ScheduleOptions {
  readonly name: string;
  readonly periodMs: number;
  /** The delay of the first call. Default: one period. */
  readonly firstAfterMs?: number;
  readonly target: LocalFunction<ScheduledEvent>;
  readonly clock: Clock;
  readonly log: Log;
}

export interface Schedule {
  /** Starts no further calls. Resolves after a call in progress has ended or timed out. */
  stop(): Promise<void>;
}

/**
 * Calls the function once per period. Calls never overlap: if a call is still in progress, the next one is skipped. A
 * failed call is logged and not retried.
 */
export function startSchedule(options: ScheduleOptions): Schedule {
  if (!(options.periodMs > 0)) {
    throw new RangeError(`Schedule "${options.name}" cannot have a period of ${options.periodMs} ms`);
  }
  const stopping = new AbortController();
  const ticking = tick(options, stopping.signal);
  return {
    async stop() {
      stopping.abort();
      await ticking;
    },
  };
}

async function tick(options: ScheduleOptions, stop: AbortSignal): Promise<void> {
  const { name, periodMs, firstAfterMs = periodMs, target, clock, log } = options;
  let next = clock.now() + firstAfterMs;
  for (;;) {
    await clock.sleep(next - clock.now(), stop);
    if (stop.aborted) {
      return;
    }
    const startedAt = performance.now();
    const invoked = await invoke(target, toScheduledEvent(name, next), clock);
    if (!invoked.ok) {
      log.error('Invoking a function failed', invoked.error, { function: target.name, schedule: name });
    }
    const failures = invoked.ok ? 0 : 1;
    const endedAt = performance.now();
    const fact: InvocationFact = { functionName: target.name, messages: 0, failures, startedAt, endedAt };
    invocations.publish(fact);
    next += periodMs * Math.max(1, Math.ceil((clock.now() - next) / periodMs));
  }
}

function toScheduledEvent(name: string, at: number): ScheduledEvent {
  return {
    version: '0',
    id: randomUUID(),
    'detail-type': 'Scheduled Event',
    source: 'aws.events',
    account: localAccount,
    // EventBridge sends whole seconds.
    time: toTimestamp(at),
    region: localRegion,
    resources: [`arn:aws:events:${localRegion}:${localAccount}:rule/${name}`],
    detail: {},
  };
}
