// Each reconcile as a span of X-Ray, below the message that woke it: handed to the daemon that runs beside a function.
// https://docs.aws.amazon.com/xray/latest/devguide/xray-api-segmentdocuments.html
import { hash } from 'node:crypto';
import { createSocket } from 'node:dgram';
import { type ReconcileFact, reconciles } from './channels.ts';

export interface Segment {
  readonly name: string;
  readonly id: string;
  readonly trace_id: string;
  readonly parent_id?: string;
  /** Seconds since the epoch. */
  readonly start_time: number;
  readonly end_time: number;
  readonly fault?: true;
  readonly origin?: string;
  readonly annotations: Readonly<Record<string, string | number>>;
}

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** The trace of our messages, a UUID, as X-Ray writes it; `undefined` when it is none. */
export function toXrayTraceId(trace: string): string | undefined {
  const digits = trace.replaceAll('-', '');
  return uuid.test(trace) ? `1-${digits.slice(0, 8)}-${digits.slice(8)}` : undefined;
}

/**
 * Two spans for each trace that became this reconcile: the message on its queue, from when a source, a timer or a resync
 * sent it until it was served, and below it the reconcile. Names and namespaces are annotations; no metric has them.
 */
export function toSegments(fact: ReconcileFact): readonly Segment[] {
  const { reconciler, namespace, name, result, passes, writes, startedAt, sentAt, seconds, causes } = fact;
  const start = startedAt / 1000;
  return fact.traces.flatMap(trace => {
    const traceId = toXrayTraceId(trace);
    if (traceId === undefined) {
      return [];
    }
    const told = toSpanId(trace, reconciler, sentAt, 'message');
    const annotations = { controller: reconciler, namespace, name };
    return [
      {
        name: `work-${reconciler}`,
        id: told,
        trace_id: traceId,
        start_time: Math.min(sentAt / 1000, start),
        end_time: start,
        origin: 'AWS::SQS::Queue',
        annotations: { ...annotations, causes: causes.join(',') },
      },
      {
        name: reconciler,
        id: toSpanId(trace, reconciler, startedAt, 'reconcile'),
        trace_id: traceId,
        parent_id: told,
        start_time: start,
        end_time: start + seconds,
        ...(result === 'error' || result === 'terminal_error' ? { fault: true as const } : {}),
        annotations: { ...annotations, result, passes, writes },
      },
    ];
  });
}

function toSpanId(...parts: readonly (string | number)[]): string {
  return hash('sha256', JSON.stringify(parts), 'hex').slice(0, 16);
}

export interface Tracer {
  /** Resolves once everything told so far has left the process. */
  flush(): Promise<void>;
}

const header = '{"format":"json","version":1}\n';

/**
 * Sends the spans of this reconciler's reconciles to the daemon at `host:port`, from now on. What is lost is lost. In a local run
 * other functions share the process.
 */
export function startTracer(address: string, reconciler: string): Tracer {
  const colon = address.lastIndexOf(':');
  const [host, port] = [address.slice(0, colon), Number(address.slice(colon + 1))];
  const socket = createSocket('udp4');
  socket.unref();
  socket.on('error', () => undefined);
  let sending: Promise<unknown>[] = [];
  reconciles.subscribe(message => {
    const fact = message as ReconcileFact; // what this channel carries
    for (const segment of fact.reconciler === reconciler ? toSegments(fact) : []) {
      const text = `${header}${JSON.stringify(segment)}`;
      sending.push(new Promise(resolve => socket.send(text, port, host, resolve)));
    }
  });
  return {
    async flush() {
      const before = sending;
      sending = [];
      await Promise.all(before);
    },
  };
}
