// Creates Lambda handlers for queues and schedules. Middleware, outermost first: telemetry, partial batch response, event
// parsing, deadline.

import type { Clock } from '@capi-serverless/apimachinery';
import type { Log } from '@capi-serverless/reconciler';
import middy from '@middy/core';
import type { Context, SQSBatchResponse } from 'aws-lambda';
import type { Metrics } from '../kernel/metrics.ts';
import type { QueueVisibility } from '../workqueue/port.ts';
import { deadline } from './deadline.ts';
import { type Batch, eventParsing } from './event-parsing.ts';
import type { HandlerInput, Invocation, InvocationNotes } from './invocation.ts';
import { lease } from './lease.ts';
import { partialBatchResponse } from './partial-batch-response.ts';
import { telemetry } from './telemetry.ts';

interface HandlerOptions {
  readonly functionName: string;
  readonly log: Log;
  readonly clock: Clock;
  /** Sends metrics and spans at the end of each invocation. Never rejects. */
  readonly flush?: () => Promise<void>;
}

export interface SqsBatchOptions extends HandlerOptions {
  readonly metrics: Metrics;
  /** If set, the messages of a batch are hidden while this process works on them, and no longer. */
  readonly queues?: QueueVisibility;
  /** Resolves with the ids of the messages to deliver again. It must not resolve while work is in progress. */
  readonly serve: (batch: Batch, invocation: Invocation) => Promise<readonly string[]>;
}

export type LambdaHandler<Response> = (event: unknown, context: Context) => Promise<Response>;

/** Middy's early timeout would respond while work is in progress. The deadline middleware aborts the work instead. */
const noEarlyTimeout = { timeoutEarlyInMillis: 0 };

/**
 * Creates a handler for an event source mapping with ReportBatchItemFailures. If `serve` throws, the whole batch fails.
 */
export function sqsBatchHandler(options: SqsBatchOptions): LambdaHandler<SQSBatchResponse> {
  const { queues, clock, log, serve } = options;
  const handler = middy<unknown, unknown, Error, Context, InvocationNotes>((call: unknown) => {
    const { event, invocation } = call as HandlerInput<Batch>; // True: event parsing and the deadline middleware set them.
    return serve(event, invocation);
  }, noEarlyTimeout)
    .use(telemetry(options))
    .use(partialBatchResponse())
    .use(eventParsing(options))
    .use(queues === undefined ? [] : [lease({ queues, clock, log })])
    .use(deadline(options));
  // The partial batch response middleware sets this response after every successful run.
  return (event, context) => handler(event, context) as Promise<SQSBatchResponse>;
}

interface EventOptions<Response> extends HandlerOptions {
  /** The promise must not settle while work is in progress. */
  readonly serve: (event: unknown, invocation: Invocation) => Promise<Response>;
}

/** Creates a handler for events of any shape, which `serve` parses. If `serve` throws, the invocation fails. */
export function eventHandler<Response>(options: EventOptions<Response>): LambdaHandler<Response> {
  const handler = middy<unknown, unknown, Error, Context, InvocationNotes>((call: unknown) => {
    const { event, invocation } = call as HandlerInput<unknown>; // True: the deadline middleware sets it.
    return options.serve(event, invocation);
  }, noEarlyTimeout)
    .use(telemetry(options))
    .use(deadline(options));
  // Neither middleware changes the response.
  return (event, context) => handler(event, context) as Promise<Response>;
}

interface ScheduledOptions extends HandlerOptions {
  /** The promise must not resolve while work is in progress. */
  readonly serve: (invocation: Invocation) => Promise<void>;
}

/** Creates a handler for a schedule. The event is ignored. If `serve` throws, the invocation fails. */
export function scheduledHandler(options: ScheduledOptions): LambdaHandler<undefined> {
  const serve = async (_event: unknown, invocation: Invocation): Promise<undefined> => {
    await options.serve(invocation);
    return undefined;
  };
  return eventHandler({ ...options, serve });
}
