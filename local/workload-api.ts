// Simulates the API servers of all workload clusters: one loopback endpoint that accepts client certificates of their
// authority. Each cluster has a path of this endpoint, with an API server in memory.

import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { Clock, Reads } from '@capi-serverless/apimachinery';
import { onLoopbackOnly } from '@capi-serverless/apiserver/http';
import { toError } from '@capi-serverless/reconciler';
import { createAuthority, issueServerCertificate } from '../shared/certificates/x509/authority.ts';
import { readClusterPath, type SimulatedWorkload } from './provider/simulated-workload.ts';
import { LocalWorkloadClusters } from './workload-clusters.ts';

const loopback = '127.0.0.1';

export interface LocalWorkloadApi {
  /** The values that the simulated control planes write to their kubeconfigs. */
  readonly workload: SimulatedWorkload;
  /** The number of workload clusters in memory. */
  readonly size: number;
  stop(): Promise<void>;
}

interface Answer {
  readonly status: number;
  readonly body: Readonly<Record<string, unknown>>;
}

/**
 * Starts the endpoint at a free port with its own authority. `reads` is the management cluster, whose SimulatedMachines
 * become Nodes. Without `reads`, there are no Nodes.
 */
export async function startWorkloadApi(clock: Clock, reads?: Pick<Reads, 'get' | 'list'>): Promise<LocalWorkloadApi> {
  const now = clock.now();
  const authority = await createAuthority(now);
  const { certificate, privateKey } = await issueServerCertificate(authority, { address: loopback, now });
  const clusters = new LocalWorkloadClusters({ clock, reads });
  const server = createServer(
    { cert: certificate, key: privateKey, ca: authority.certificate, requestCert: true, rejectUnauthorized: true },
    onLoopbackOnly((request, response) => void serve(clusters, request, response)),
  );
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, loopback, resolve);
  });
  const { port } = server.address() as AddressInfo; // True: it listens on TCP.
  return {
    workload: { server: `https://${loopback}:${port}`, authority },
    get size() {
      return clusters.size;
    },
    stop: async () => {
      clusters.stop();
      server.closeAllConnections();
      await new Promise<void>(resolve => server.close(() => resolve()));
    },
  };
}

async function serve(
  clusters: LocalWorkloadClusters,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const { cluster, url } = readClusterPath(request.url ?? '/');
  if (cluster === undefined) {
    send(response, answerWithoutCluster(url));
    return;
  }
  request.url = url;
  try {
    await clusters.serve(cluster, request, response);
  } catch (thrown) {
    send(response, toStatus(500, 'InternalError', toError(thrown).message));
  }
}

/** A kubeconfig without a Cluster in its path can only be probed. `kubectl get --raw` drops the path of a kubeconfig. */
function answerWithoutCluster(url: string): Answer {
  const remedy = 'Each workload cluster is served below /clusters/NAMESPACE/NAME, which "kubectl get --raw" leaves out';
  return url === '/'
    ? { status: 200, body: { paths: [] } }
    : toStatus(404, 'NotFound', `${url} is not served. ${remedy}: use kubectl get without --raw, or the whole path`);
}

function send(response: ServerResponse, { status, body }: Answer): void {
  response.writeHead(status, { 'content-type': 'application/json' });
  response.end(JSON.stringify(body));
}

function toStatus(code: number, reason: string, message: string): Answer {
  return { status: code, body: { kind: 'Status', apiVersion: 'v1', status: 'Failure', reason, message, code } };
}
