import { Server } from 'node:net';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { type ProbeServer, type Probes, startProbeServer } from '../../../../shared/telemetry/probe-server.ts';

const well: Probes = { unhealthy: () => [], unready: () => [], metrics: () => 'up 1\n' };
const host = '127.0.0.1';
let server: ProbeServer | undefined;

async function ask(probes: Probes, path: string, method = 'GET') {
  server = await startProbeServer({ host, port: 0 }, probes);
  const response = await fetch(`http://${host}:${server.port}${path}`, { method });
  return { status: response.status, type: response.headers.get('content-type'), text: await response.text() };
}

afterEach(async () => {
  vi.restoreAllMocks();
  await server?.close();
  server = undefined;
});

describe('the probe server', () => {
  it.each([
    { path: '/healthz', change: {}, status: 200, text: 'ok\n', reason: 'healthy' },
    { path: '/readyz?verbose', change: {}, status: 200, text: 'ok\n', reason: 'the query is ignored' },
    {
      path: '/healthz',
      change: { unready: () => ['x'] },
      status: 200,
      text: 'ok\n',
      reason: 'unready is no reason to restart',
    },
    {
      path: '/readyz',
      change: { unready: () => ['Cluster was not listed yet', 'Machine was not listed yet'] },
      status: 503,
      text: 'Cluster was not listed yet\nMachine was not listed yet\n',
      reason: 'it prints the reasons, one line each',
    },
    { path: '/healthz', change: { unhealthy: () => ['stuck'] }, status: 503, text: 'stuck\n', reason: 'unhealthy' },
    { path: '/', change: {}, status: 404, text: 'There are /healthz, /readyz and /metrics\n', reason: 'no such page' },
  ])('answers $path with $status: $reason', async ({ path, change, status, text }) => {
    expect(await ask({ ...well, ...change }, path)).toMatchObject({ status, text });
  });

  it('serves metrics with the content type of Prometheus', async () => {
    expect(await ask(well, '/metrics')).toEqual({
      status: 200,
      type: 'text/plain; version=0.0.4; charset=utf-8',
      text: 'up 1\n',
    });
  });

  it.each([
    { method: 'HEAD', status: 200, reason: 'probes may omit the body' },
    { method: 'POST', status: 405, reason: 'the server is read-only' },
  ])('answers $method with $status: $reason', async ({ method, status }) => {
    expect((await ask(well, '/readyz', method)).status).toBe(status);
  });

  it('names no host for all addresses, so that Node.js chooses both families, or IPv4 without IPv6', async () => {
    const listen = Server.prototype.listen;
    const asked: unknown[] = [];
    vi.spyOn(Server.prototype, 'listen').mockImplementation(function (this: Server, ...given: unknown[]) {
      const [address, then] = given as [object, () => void]; // true: the only form that the probe server uses
      asked.push(address);
      return listen.call(this, { ...address, host }, then);
    });
    server = await startProbeServer({ host: undefined, port: 0 }, well);
    expect(asked).toEqual([{ port: 0 }]);
    expect((await fetch(`http://${host}:${server.port}/healthz`)).status).toBe(200);
  });

  it('fails to start on an address in use', async () => {
    server = await startProbeServer({ host, port: 0 }, well);
    await expect(startProbeServer({ host, port: server.port }, well)).rejects.toThrow('EADDRINUSE');
  });
});
