// The servers of a local run, called with different host names. A web page may resolve its host name to 127.0.0.1.
import { request as httpRequest } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { startApiServer } from '@capi-serverless/apiserver';
import { isLoopbackHost, makeSelfSignedCertificate } from '@capi-serverless/apiserver/http';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openFunctionUrl } from '../../../local/function-url.ts';
import { startSqs } from '../../../local/sqs.ts';

const stops: (() => Promise<void>)[] = [];
const urls = new Map<string, string>();

beforeAll(async () => {
  const sqs = await startSqs({ queues: [] });
  const api = await startApiServer();
  const certificate = makeSelfSignedCertificate();
  const functionUrl = await openFunctionUrl({ port: 0, ...certificate });
  stops.push(
    () => sqs.stop(),
    () => api.stop(),
    () => functionUrl.stop(),
  );
  urls.set('the queues', sqs.endpoint);
  urls.set('the API server', api.url);
  urls.set("the audit webhook's address", functionUrl.url);
});

afterAll(() => Promise.all(stops.map(stop => stop())));

/** Returns the status of the answer to a request with this Host header. */
function statusOf(url: string, host: string): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    const send = url.startsWith('https:') ? httpsRequest : httpRequest;
    const sent = send(url, { method: 'GET', headers: { host }, rejectUnauthorized: false }, response => {
      response.resume();
      resolve(response.statusCode);
    });
    sent.on('error', reject);
    sent.end();
  });
}

describe.each(['the queues', 'the API server', "the audit webhook's address"])('%s', name => {
  it.each(['attacker.example', 'attacker.example:4566', '169.254.169.254', '127.0.0.1.attacker.example', '[::2]:1'])(
    'answers no request for %s',
    async host => {
      expect(await statusOf(urls.get(name) ?? '', host)).toBe(421);
    },
  );
});

it.each(['localhost', 'LOCALHOST:80', '127.0.0.1:4566', '[::1]:443'])(
  'the queues and the API server answer requests for %s',
  async host => {
    expect(await statusOf(urls.get('the queues') ?? '', host)).not.toBe(421);
    expect(await statusOf(urls.get('the API server') ?? '', host)).toBe(401);
  },
);

it('a request without a name is not for the loopback address', () => {
  expect(isLoopbackHost(undefined)).toBe(false);
});
