// Requests to an audit webhook, and the meaning of its responses.
import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createWebhook, type Webhook } from '../../../../../packages/apiserver/audit/webhook.ts';

describe('the audit webhook', () => {
  let server: Server;
  let webhook: Webhook;
  let code = 200;
  const seen: { readonly url: string | undefined; readonly headers: IncomingHttpHeaders; readonly body: unknown }[] =
    [];

  beforeEach(async () => {
    seen.length = 0;
    server = createServer(async (request, response) => {
      seen.push({ url: request.url, headers: request.headers, body: await json(request) });
      response.writeHead(code).end();
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo; // true: a server that listens on a port has an AddressInfo
    webhook = createWebhook({ url: `http://127.0.0.1:${port}/audit?cluster=a`, token: 'secret' });
  });

  afterEach(() => {
    webhook.close();
    server.close();
    server.closeAllConnections();
  });

  it('receives an EventList, and no token without TLS', async () => {
    code = 200;
    await webhook.post([{ auditID: '1' }]);
    expect(seen).toEqual([
      {
        url: '/audit?cluster=a&timeout=30s',
        headers: expect.objectContaining({ 'content-type': 'application/json' }),
        body: { kind: 'EventList', apiVersion: 'audit.k8s.io/v1', metadata: {}, items: [{ auditID: '1' }] },
      },
    ]);
    expect(seen[0]?.headers).not.toHaveProperty('authorization');
  });

  it.each([400, 401, 413, 429, 500, 503])('rejects the events by response %s', async answer => {
    code = answer;
    await expect(webhook.post([])).rejects.toThrow(`answered ${answer}`);
  });

  it('rejects the events when it is unavailable', async () => {
    server.close();
    server.closeAllConnections();
    await expect(webhook.post([])).rejects.toThrow('ECONNREFUSED');
  });
});
