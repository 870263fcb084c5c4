// Invokes a function for each HTTPS request, as a Lambda Function URL does.
// https://docs.aws.amazon.com/lambda/latest/dg/urls-invocation.html
import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { Clock } from '@capi-serverless/apimachinery';
import { onLoopbackOnly, readBody } from '@capi-serverless/apiserver/http';
import type { Log } from '@capi-serverless/reconciler';
import type { LambdaFunctionURLEvent } from 'aws-lambda';
import * as z from 'zod/mini';
import { type InvocationFact, invocations } from '../shared/diagnostics/channels.ts';
import { invoke, type LocalFunction, localAccount } from './local-lambda.ts';
import { listenOnLoopback } from './loopback.ts';

interface FunctionUrlOptions {
  /** The port on the loopback address. 0 selects any free port. */
  readonly port: number;
  readonly certificatePem: string;
  readonly keyPem: string;
}

interface Target {
  readonly target: LocalFunction<unknown>;
  readonly clock: Clock;
  readonly log: Log;
}

export interface FunctionUrl {
  readonly url: string;
  /** Earlier requests wait for the function, as during a cold start. */
  serve(target: Target): void;
  /** Stops accepting requests. Resolves when those in progress have been answered. */
  stop(): Promise<void>;
}

/** https://docs.aws.amazon.com/lambda/latest/dg/gettingstarted-limits.html */
export const maxRequestBytes = 6 * 1024 * 1024;

/** Listens immediately, so that the address is known before the function. Rejects if the port is in use. */
export async function openFunctionUrl({ port, certificatePem, keyPem }: FunctionUrlOptions): Promise<FunctionUrl> {
  const started = Promise.withResolvers<Target | undefined>();
  let isStopping = false;
  const listener = onLoopbackOnly((request, response) => {
    void answer(started.promise, request).then(reply => {
      // A kept-alive connection would delay the stop of the server.
      response.shouldKeepAlive &&= !isStopping;
      send(response, reply);
    });
  });
  const server = createServer({ cert: certificatePem, key: keyPem }, listener);
  await listenOnLoopback(server, port);
  // True: a server that listens on a port has an address of this type.
  const address = server.address() as AddressInfo;
  return {
    url: `https://127.0.0.1:${address.port}/`,
    serve: started.resolve,
    stop: () =>
      new Promise(resolve => {
        isStopping = true;
        started.resolve(undefined);
        server.close(() => resolve());
        server.closeIdleConnections();
      }),
  };
}

const replySchema = z.object({
  statusCode: z.int().check(z.gte(100), z.lte(599)),
  headers: z._default(z.record(z.string(), z.string()), {}),
  body: z._default(z.string(), ''),
});

type Reply = z.infer<typeof replySchema>;

/** Returns `undefined` if the client closed the connection. Never rejects. */
async function answer(started: Promise<Target | undefined>, request: IncomingMessage): Promise<Reply | undefined> {
  const body = await readBody(request, maxRequestBytes);
  if (body === undefined) {
    return undefined;
  }
  if (body === 'too large') {
    return toRefusal(413, 'Request must be smaller than 6291456 bytes for the InvokeFunction operation');
  }
  const target = await started;
  return target === undefined ? toRefusal(503, 'Service Unavailable') : call(target, toEvent(request, body));
}

async function call({ target, clock, log }: Target, event: LambdaFunctionURLEvent): Promise<Reply> {
  const startedAt = performance.now();
  const invoked = await invoke(target, event, clock);
  const failures = invoked.ok ? 0 : 1;
  const fact: InvocationFact = {
    functionName: target.name,
    messages: 0,
    failures,
    startedAt,
    endedAt: performance.now(),
  };
  invocations.publish(fact);
  if (!invoked.ok) {
    log.error('Invoking a function failed', invoked.error, { function: target.name });
  }
  const reply = replySchema.safeParse(invoked.ok ? invoked.response : undefined);
  return reply.success ? reply.data : toRefusal(502, 'Internal Server Error');
}

function toRefusal(statusCode: number, message: string): Reply {
  return { statusCode, headers: { 'content-type': 'application/json' }, body: JSON.stringify({ Message: message }) };
}

/** Bodies of these types are passed as text, unless they are compressed. */
const textual = /^(text\/|application\/(json|javascript|xml)\b)/i;

function toEvent(request: IncomingMessage, body: Buffer): LambdaFunctionURLEvent {
  const { url = '/', method = 'GET', httpVersion, socket } = request;
  const headers = toHeaders(request);
  const mark = url.indexOf('?');
  const [path, query] = mark < 0 ? [url, ''] : [url.slice(0, mark), url.slice(mark + 1)];
  const isText = textual.test(headers['content-type'] ?? '') && headers['content-encoding'] === undefined;
  const now = new Date();
  return {
    version: '2.0',
    routeKey: '$default',
    rawPath: path,
    rawQueryString: query,
    headers,
    requestContext: {
      accountId: localAccount,
      apiId: 'local',
      domainName: 'local',
      domainPrefix: 'local',
      http: {
        method,
        path,
        protocol: `HTTP/${httpVersion}`,
        sourceIp: socket.remoteAddress ?? '',
        userAgent: headers['user-agent'] ?? '',
      },
      requestId: randomUUID(),
      routeKey: '$default',
      stage: '$default',
      time: now.toISOString(),
      timeEpoch: now.getTime(),
    },
    ...(body.length === 0 ? {} : { body: body.toString(isText ? 'utf8' : 'base64') }),
    isBase64Encoded: body.length > 0 && !isText,
  };
}

/** Several values with the same name are joined by commas. */
function toHeaders({ headers }: IncomingMessage): Record<string, string> {
  const entries = Object.entries(headers).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, Array.isArray(value) ? value.join(',') : value] as const],
  );
  return Object.fromEntries(entries);
}

function send(response: ServerResponse, reply: Reply | undefined): void {
  if (reply === undefined || response.destroyed) {
    return;
  }
  response.writeHead(reply.statusCode, reply.headers);
  response.end(reply.body);
}
