// The handlers of functions behind a queue or a schedule: middleware around the work, outermost first telemetry,
// partial batch response, event parsing, deadline.
import middy from '@middy/core';
import type { Context, SQSBatchResponse } from 'aws-lambda';
import type { Clock } from '../kernel/clock.ts';
import type { Log } from '../kernel/log.ts';
import type { Metrics } from '../kernel/metrics.ts';
import type { QueueVisibility } from '../workqueue/port.ts';
import { deadline } from './deadline.ts';
import { type Batch, eventParsing } from './event-parsing.ts';
import type { Call, Invocation, Notes } from './invocation.ts';
import { partialBatchResponse } from './partial-batch-response.ts';
import { telemetry } from './telemetry.ts';
import { visibility } from './visibility.ts';

export interface HandlerOptions {
  readonly functionName: string;
  readonly log: Log;
  readonly clock: Clock;
  /** Hands over metrics and spans at the end of each invocation. Never rejects. */
  readonly flush?: () => Promise<void>;
}

export interface SqsBatchOptions extends HandlerOptions {
  readonly metrics: Metrics;
  /** With it, a batch is hidden only as long as this invocation can last. */
  readonly queues?: QueueVisibility;
  /** Resolves with the ids of the messages that must come back, once nothing it started is under way any more. */
  readonly serve: (batch: Batch, invocation: Invocation) => Promise<readonly string[]>;
}

export type LambdaHandler<Response> = (event: unknown, context: Context) => Promise<Response>;

/** Middy's own early time-out would answer while work is still under way; ours asks the work to end. */
const noEarlyTimeout = { timeoutEarlyInMillis: 0 };

/** For an event source mapping with ReportBatchItemFailures. What `serve` throws fails the whole batch. */
export function sqsBatchHandler(options: SqsBatchOptions): LambdaHandler<SQSBatchResponse> {
  const { queues, log, serve } = options;
  const handler = middy<unknown, unknown, Error, Context, Notes>((call: unknown) => {
    const { event, invocation } = call as Call<Batch>; // event parsing and the deadline made it so
    return serve(event, invocation);
  }, noEarlyTimeout)
    .use(telemetry(options))
    .use(partialBatchResponse())
    .use(eventParsing(options))
    .use(queues === undefined ? [] : [visibility({ queues, log })])
    .use(deadline(options));
  // The partial batch response is what every successful run ends with.
  return (event, context) => handler(event, context) as Promise<SQSBatchResponse>;
}

export interface EventOptions<Response> extends HandlerOptions {
  /** Settles once nothing it started is under way any more. */
  readonly serve: (event: unknown, invocation: Invocation) => Promise<Response>;
}

/** For an event of any shape, which `serve` reads itself. What it throws fails the invocation. */
export function eventHandler<Response>(options: EventOptions<Response>): LambdaHandler<Response> {
  const handler = middy<unknown, unknown, Error, Context, Notes>((call: unknown) => {
    const { event, invocation } = call as Call<unknown>; // the deadline made it so
    return options.serve(event, invocation);
  }, noEarlyTimeout)
    .use(telemetry(options))
    .use(deadline(options));
  // Neither middleware changes the response.
  return (event, context) => handler(event, context) as Promise<Response>;
}

export interface ScheduledOptions extends HandlerOptions {
  /** Resolves once nothing it started is under way any more. */
  readonly serve: (invocation: Invocation) => Promise<void>;
}

/** For a schedule: the event's content does not matter. What `serve` throws fails the invocation. */
export function scheduledHandler(options: ScheduledOptions): LambdaHandler<undefined> {
  const serve = async (_event: unknown, invocation: Invocation): Promise<undefined> => {
    await options.serve(invocation);
    return undefined;
  };
  return eventHandler({ ...options, serve });
}
