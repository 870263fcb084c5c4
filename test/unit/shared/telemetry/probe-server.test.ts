import { request } from 'node:http';
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

/** Returns the status of the answer to GET /metrics with this Host header. `fetch` does not send it. */
async function statusFor(headerHost: string): Promise<number | undefined> {
  server = await startProbeServer({ host, port: 0 }, well);
  const { port } = server;
  return new Promise((resolve, reject) => {
    const sent = request({ host, port, path: '/metrics', headers: { host: headerHost } }, response => {
      response.resume();
      resolve(response.statusCode);
    });
    sent.on('error', reject).end();
  });
}

const foreignHosts = [
  { header: 'attacker.example:8080', reason: 'a name that a web page resolves to the address' },
  { header: '10.0.0.7:8080', reason: 'the address of a pod, as the kubelet and Prometheus send it' },
  { header: 'watch-forwarder.capi-serverless.svc:8080', reason: 'the name of a Service' },
];

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
      reason: 'unready is not a reason to restart',
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

  it.each(foreignHosts)('refuses another Host on a loopback address: $reason', async ({ header }) => {
    expect(await statusFor(header)).toBe(421);
  });

  it.each(['localhost:8080', '127.0.0.1', '[::1]:8080'])('answers the Host %s on a loopback address', async header => {
    expect(await statusFor(header)).toBe(200);
  });

  it.each(foreignHosts)('answers every Host on other addresses: $reason', async ({ header }) => {
    const address = Server.prototype.address;
    vi.spyOn(Server.prototype, 'address').mockImplementation(function (this: Server) {
      return { ...Object(address.call(this)), address: '::' };
    });
    expect(await statusFor(header)).toBe(200);
  });

  it('fails to start on an address in use', async () => {
    server = await startProbeServer({ host, port: 0 }, well);
    await expect(startProbeServer({ host, port: server.port }, well)).rejects.toThrow('EADDRINUSE');
  });
});
