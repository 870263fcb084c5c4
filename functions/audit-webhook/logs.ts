// Serves a CloudWatch Logs subscription of EKS control plane logs. Audit events are mixed with lines of other components.
// https://docs.aws.amazon.com/AmazonCloudWatch/latest/logs/SubscriptionFilters.html#LambdaFunctionExample

import type { Log } from '@capi-serverless/reconciler';
import * as z from 'zod/mini';
import { droppedEvents } from '../../shared/event-source/source-metrics.ts';
import { BodyError, decodeBody, inflateBody, parseJson } from '../../shared/http/body.ts';
import { type Metrics, refusedMessages } from '../../shared/kernel/metrics.ts';
import { type AuditEvent, auditApiVersion, parseAuditEvent } from './event.ts';

const deliverySchema = z.object({ awslogs: z.object({ data: z.string() }) });

const dataSchema = z.object({
  messageType: z.string(),
  logEvents: z._default(z.array(z.object({ message: z.string() })), []),
});

const lineSchema = z.object({ apiVersion: z.literal(auditApiVersion), kind: z.literal('Event') });

interface LogsOptions {
  readonly functionName: string;
  readonly log: Log;
  readonly metrics: Metrics;
  /** Rejects if the subscription must deliver the events again. */
  readonly enqueueEvents: (events: readonly AuditEvent[]) => Promise<unknown>;
}

/** Decodes the base64 and gzip data. Returns `undefined` if the event is not a delivery of a subscription. */
export function parseLogsDelivery(event: unknown): string | undefined {
  return deliverySchema.safeParse(event).data?.awslogs.data;
}

/** Rejects if the delivery must be repeated. An unreadable delivery is logged and counted, but not repeated. */
export async function serveLogs(options: LogsOptions, delivery: string): Promise<void> {
  const lines = await readLines(options, delivery);
  const events = lines.map(line => parseLine(line)).filter(event => event !== undefined);
  for (let other = events.length; other < lines.length; other += 1) {
    options.metrics.count(droppedEvents, { source: 'audit', reason: 'no audit event' });
  }
  if (events.length > 0) {
    await options.enqueueEvents(events);
  }
}

async function readLines({ functionName, log, metrics }: LogsOptions, delivery: string): Promise<readonly string[]> {
  try {
    const data = dataSchema.safeParse(parseJson(decodeBody(await inflateBody(Buffer.from(delivery, 'base64')))));
    if (!data.success) {
      throw new BodyError(400, 'The body is not a delivery of log lines');
    }
    return data.data.messageType === 'DATA_MESSAGE' ? data.data.logEvents.map(({ message }) => message) : [];
  } catch (error) {
    if (!(error instanceof BodyError)) {
      throw error;
    }
    metrics.count(refusedMessages, { controller: functionName, reason: 'unreadable' });
    log.error('Refusing a delivery of log lines', error);
    return [];
  }
}

function parseLine(line: string): AuditEvent | undefined {
  try {
    const value = line.startsWith('{') ? parseJson(line) : undefined;
    return lineSchema.safeParse(value).success ? parseAuditEvent(value) : undefined;
  } catch (error) {
    if (error instanceof BodyError) {
      return undefined;
    }
    throw error;
  }
}
