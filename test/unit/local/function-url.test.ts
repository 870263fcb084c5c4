import { request } from 'node:https';
import { gzipSync } from 'node:zlib';
import { systemClock } from '@capi-serverless/apimachinery/system-clock';
import { makeSelfSignedCertificate } from '@capi-serverless/apiserver/http';
import type { LambdaFunctionURLEvent } from 'aws-lambda';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type FunctionUrl, maxRequestBytes, openFunctionUrl } from '../../../local/function-url.ts';
import type { LocalFunction } from '../../../local/local-lambda.ts';
import { aRecordingLog } from '../../support/kernel.ts';

interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly body: string;
}

const certificate = makeSelfSignedCertificate();

function send(
  url: string,
  {
    method = 'POST',
    headers = {},
    body = '',
    onReceived = () => undefined,
  }: { method?: string; headers?: Record<string, string>; body?: string | Buffer; onReceived?: () => void } = {},
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const sent = request(url, { method, headers, ca: certificate.certificatePem, agent: false }, response => {
      let text = '';
      response.setEncoding('utf8').on('data', (part: string) => {
        text += part;
      });
      response.on('end', () => resolve({ status: response.statusCode ?? 0, headers: response.headers, body: text }));
    });
    sent.on('error', reject);
    sent.on('continue', onReceived);
    sent.end(body);
  });
}

describe('a function behind a URL', () => {
  const log = aRecordingLog();
  let functionUrl: FunctionUrl;
  let seen: LambdaFunctionURLEvent[];

  /** Starts a server whose function returns this response. */
  function serve(response: unknown): void {
    const handler: LocalFunction<unknown>['handler'] = async event => {
      seen.push(event as LambdaFunctionURLEvent); // true: the server under test sends events of this type
      return response instanceof Error ? Promise.reject(response) : response;
    };
    functionUrl.serve({ target: { name: 'echo', timeoutSeconds: 30, handler }, clock: systemClock, log });
  }

  beforeEach(async () => {
    seen = [];
    functionUrl = await openFunctionUrl({ port: 0, ...certificate });
  });

  afterEach(() => functionUrl.stop());

  it('listens only on the loopback address', () => {
    expect(functionUrl.url).toMatch(/^https:\/\/127\.0\.0\.1:\d+\/$/);
  });

  it('keeps a request waiting until there is a function', async () => {
    const waiting = send(functionUrl.url);
    serve({ statusCode: 204 });
    expect(await waiting).toMatchObject({ status: 204 });
  });

  it('refuses waiting requests when it is stopped before it serves a function', async () => {
    const received = Promise.withResolvers<void>();
    const waiting = send(functionUrl.url, { headers: { expect: '100-continue' }, onReceived: received.resolve });
    await received.promise;
    await functionUrl.stop();
    expect(await waiting).toMatchObject({ status: 503 });
  });

  it('passes the request in payload format 2.0', async () => {
    serve({ statusCode: 200 });
    const headers = { 'Content-Type': 'application/json', 'X-Twice': 'a', 'User-Agent': 'test' };
    await send(`${functionUrl.url}path?timeout=30s&b=`, { headers, body: '{"a":"ä"}' });
    expect(seen).toMatchObject([
      {
        version: '2.0',
        rawPath: '/path',
        rawQueryString: 'timeout=30s&b=',
        headers: { 'content-type': 'application/json', 'x-twice': 'a' },
        requestContext: { http: { method: 'POST', path: '/path', userAgent: 'test', sourceIp: '127.0.0.1' } },
        body: '{"a":"ä"}',
        isBase64Encoded: false,
      },
    ]);
  });

  it.each([
    { headers: { 'content-type': 'application/octet-stream' }, reason: 'not text' },
    { headers: { 'content-type': 'application/json', 'content-encoding': 'gzip' }, reason: 'compressed' },
    { headers: {}, reason: 'of no known type' },
  ])('passes a body as base64 that is $reason', async ({ headers }) => {
    serve({ statusCode: 200 });
    const body = gzipSync('{}');
    await send(functionUrl.url, { headers, body });
    expect(seen).toMatchObject([{ body: body.toString('base64'), isBase64Encoded: true }]);
  });

  it('passes no body if there is none', async () => {
    serve({ statusCode: 200 });
    await send(functionUrl.url, { method: 'GET' });
    expect(seen[0]).not.toHaveProperty('body');
    expect(seen).toMatchObject([{ isBase64Encoded: false, requestContext: { http: { method: 'GET' } } }]);
  });

  it('returns the response of the function', async () => {
    serve({ statusCode: 418, headers: { 'x-own': 'yes' }, body: 'short and stout' });
    expect(await send(functionUrl.url)).toMatchObject({
      status: 418,
      headers: { 'x-own': 'yes' },
      body: 'short and stout',
    });
  });

  it.each([
    { response: undefined, reason: 'says nothing' },
    { response: { statusCode: 'fine' }, reason: 'says nonsense' },
    { response: new Error('broken'), reason: 'fails' },
  ])('answers 502 for a function that $reason', async ({ response }) => {
    serve(response);
    expect(await send(functionUrl.url)).toMatchObject({ status: 502 });
  });

  it('refuses requests above the size limit of the service, without calling the function', async () => {
    serve({ statusCode: 200 });
    const headers = { 'content-type': 'text/plain' };
    expect(await send(functionUrl.url, { headers, body: Buffer.alloc(maxRequestBytes + 1) })).toMatchObject({
      status: 413,
    });
    expect(seen).toEqual([]);
    expect(await send(functionUrl.url, { headers, body: Buffer.alloc(maxRequestBytes) })).toMatchObject({
      status: 200,
    });
  });

  it('may be stopped twice', async () => {
    await functionUrl.stop();
    await functionUrl.stop();
    await expect(send(functionUrl.url)).rejects.toThrow('ECONNREFUSED');
  });

  it('reports a taken port', async () => {
    const port = Number(new URL(functionUrl.url).port);
    await expect(openFunctionUrl({ port, ...certificate })).rejects.toThrow('EADDRINUSE');
  });
});
