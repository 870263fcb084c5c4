// The audit components as a server starts them.
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it, vi } from 'vitest';
import { openAudit } from '../../../../../packages/apiserver/audit/open.ts';
import { AuditPolicyError } from '../../../../../packages/apiserver/audit/policy.ts';
import { startApiServer } from '../../../../../packages/apiserver/server.ts';
import { createRawHttp } from '../../../../support/raw-http.ts';
import { aWorld } from '../core/core-with-widgets.ts';

/** Refused events are posted five times before they are dropped. */
const triesOfTen = 50;

const policy = { apiVersion: 'audit.k8s.io/v1', kind: 'Policy', rules: [{ level: 'Metadata' }] };

async function openRefusing() {
  let posts = 0;
  const server = createServer((request, response) => {
    posts += 1;
    request.resume();
    response.writeHead(403).end();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo; // true: a server that listens on a port has an AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    posts: () => posts,
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
}

describe('auditing', () => {
  it('does not start with an invalid policy', async () => {
    const started = startApiServer({ audit: { url: 'http://127.0.0.1:9', policy: { ...policy, rules: [] } } });
    await expect(started).rejects.toThrow(AuditPolicyError);
  });

  it('reports lost events at each tenfold increase', async () => {
    const receiver = await openRefusing();
    const { core, clock } = aWorld();
    const losses: string[] = [];
    const audit = openAudit(
      { url: receiver.url, policy, batch: { maxSize: 1 } },
      { core, clock, onLoss: error => losses.push(String(error)) },
    );
    const request = {
      method: 'GET',
      path: '/version',
      query: new URLSearchParams(),
      accept: undefined,
      contentType: undefined,
      userAgent: '',
      body: '',
      user: undefined,
    };
    const incoming = { auditId: '1', request, uri: '/version', sourceIp: '', userAgent: '', receivedAt: 0 };
    for (let count = 0; count < 6; count += 1) {
      audit.auditor.begin(incoming)?.completed({ code: 200 });
    }
    await vi.waitFor(
      async () => {
        await clock.advance(10_000);
        expect(losses).toHaveLength(2);
      },
      { timeout: 300_000 },
    );
    await audit.close();
    expect(receiver.posts()).toBeGreaterThanOrEqual(triesOfTen);
    expect(losses).toEqual([
      expect.stringMatching(/^Error: 1 audit events were not delivered: .* answered 403$/),
      expect.stringContaining('10 audit events'),
    ]);
    receiver.close();
  });

  it('uses the audit id of the client, or else one of the server', async () => {
    const server = await startApiServer();
    const ask = async (auditId: string): Promise<unknown> => {
      const http = createRawHttp(server);
      return (await http.get('/version', { headers: { 'audit-id': auditId } })).headers['audit-id'];
    };
    try {
      expect(await ask('my-own')).toBe('my-own');
      expect(await ask('x'.repeat(65))).toMatch(/^[0-9a-f-]{36}$/);
    } finally {
      await server.stop();
    }
  });
});
