// The HTTP server of a long-running process: liveness and readiness probes, and metrics.
// https://kubernetes.io/docs/concepts/workloads/pods/probes/
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onLoopbackOnly } from '@capi-serverless/apiserver/http';
import { prometheusContentType } from './prometheus.ts';

export interface Probes {
  /** Returns the reasons why the process must be restarted. Empty if it is healthy. */
  unhealthy(): readonly string[];
  /** Returns the reasons why the process is not ready. Empty if it is ready. */
  unready(): readonly string[];
  /** Returns the metrics in the Prometheus text format. */
  metrics(): string;
}

export interface ProbeServer {
  /** The port on which the server listens, also if port 0 was requested. */
  readonly port: number;
  close(): Promise<void>;
}

interface Address {
  /** Undefined: all IPv6 and IPv4 addresses, or all IPv4 addresses if the machine has no IPv6. */
  readonly host: string | undefined;
  /** 0 selects any free port. */
  readonly port: number;
}

interface Reply {
  readonly status: number;
  readonly type: string;
  readonly text: string;
}

/**
 * Implements GET and HEAD of /healthz, /readyz and /metrics. On a loopback address, refuses requests whose Host header
 * is another name. Rejects if the server cannot listen on the address.
 */
export async function startProbeServer({ host, port }: Address, probes: Probes): Promise<ProbeServer> {
  const server = createServer();
  await listen(server, { host, port });
  // A server that listens on host and port has an address of this type.
  const bound = server.address() as AddressInfo;
  const listener = toListener(probes);
  // In a pod, the kubelet and Prometheus use the pod's address or a name that is not known here (docs/security.md).
  server.on('request', isLoopback(bound) ? onLoopbackOnly(listener) : listener);
  return {
    port: bound.port,
    close: () =>
      new Promise(resolve => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function isLoopback({ address }: AddressInfo): boolean {
  return address === '::1' || address.startsWith('127.');
}

function toListener(probes: Probes): RequestListener {
  return (request, response) => {
    const { status, type, text } = toReply(probes, request.method ?? '', request.url ?? '');
    response.writeHead(status, { 'Content-Type': type, 'Cache-Control': 'no-store' });
    // Node.js drops the body of an answer to HEAD.
    response.end(text);
    // A request body is discarded without waiting for its end.
    request.resume();
  };
}

function listen(server: Server, { host, port }: Address): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    // https://nodejs.org/api/net.html#serverlistenport-host-backlog-callback
    server.listen(host === undefined ? { port } : { host, port }, () => {
      server.off('error', reject);
      resolve();
    });
  });
}

function toReply(probes: Probes, method: string, url: string): Reply {
  if (method !== 'GET' && method !== 'HEAD') {
    return plain(405, 'Only GET and HEAD are answered');
  }
  switch (url.split('?')[0]) {
    case '/healthz':
      return toVerdict(probes.unhealthy());
    case '/readyz':
      return toVerdict(probes.unready());
    case '/metrics':
      return { status: 200, type: prometheusContentType, text: probes.metrics() };
    default:
      return plain(404, 'There are /healthz, /readyz and /metrics');
  }
}

function toVerdict(problems: readonly string[]): Reply {
  return problems.length === 0 ? plain(200, 'ok') : plain(503, problems.join('\n'));
}

function plain(status: number, text: string): Reply {
  return { status, type: 'text/plain; charset=utf-8', text: `${text}\n` };
}
