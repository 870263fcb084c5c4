// Sends each reconcile as an X-Ray span to the X-Ray daemon. The parent of the span is the message that triggered the
// reconcile. https://docs.aws.amazon.com/xray/latest/devguide/xray-api-segmentdocuments.html
import { hash } from 'node:crypto';
import { createSocket } from 'node:dgram';
import { type ReconcileFact, reconciles } from '../diagnostics/channels.ts';

interface Segment {
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

/** Converts the trace id of a message (a UUID) to X-Ray's format. Returns `undefined` if it is not a UUID. */
export function toXrayTraceId(trace: string): string | undefined {
  const digits = trace.replaceAll('-', '');
  return uuid.test(trace) ? `1-${digits.slice(0, 8)}-${digits.slice(8)}` : undefined;
}

/**
 * Returns two spans per trace of the reconcile. The first span is the message, from its send time until it was
 * processed. Its child is the reconcile. The name and namespace of the object are annotations. Metrics do not contain
 * them.
 */
export function toSegments(fact: ReconcileFact): readonly Segment[] {
  const { reconciler, namespace, name, result, passes, writes, startedAt, sentAt, seconds, causes } = fact;
  const start = startedAt / 1000;
  return fact.traces.flatMap(trace => {
    const traceId = toXrayTraceId(trace);
    if (traceId === undefined) {
      return [];
    }
    const messageSpan = toSpanId(trace, reconciler, sentAt, 'message');
    const annotations = { controller: reconciler, namespace, name };
    return [
      {
        name: `work-${reconciler}`,
        id: messageSpan,
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
        parent_id: messageSpan,
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

interface Tracer {
  /** Resolves after all previous spans were sent. */
  flush(): Promise<void>;
}

const header = '{"format":"json","version":1}\n';

/**
 * Sends the spans of this reconciler to the daemon at `host:port` from now on. Lost datagrams are not sent again. In a
 * local run, other functions share the process.
 */
export function startTracer(address: string, reconciler: string): Tracer {
  const colon = address.lastIndexOf(':');
  const [host, port] = [address.slice(0, colon), Number(address.slice(colon + 1))];
  const socket = createSocket('udp4');
  socket.unref();
  socket.on('error', () => undefined);
  let sending: Promise<unknown>[] = [];
  reconciles.subscribe(message => {
    const fact = message as ReconcileFact; // true: this is the message type of the channel
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
