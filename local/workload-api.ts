// Simulates the API servers of all workload clusters: one loopback endpoint that accepts client certificates of their
// authority. Each cluster has a path of this endpoint, which serves its Nodes:
// https://kubernetes.io/docs/reference/using-api/api-concepts
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { Instant, Reads } from '@capi-serverless/apimachinery';
import { onLoopbackOnly } from '@capi-serverless/apiserver/http';
import { toError } from '@capi-serverless/reconciler';
import { createAuthority, issueServerCertificate } from '../shared/certificates/x509/authority.ts';
import { readClusterPath, type SimulatedWorkload } from './provider/simulated-workload.ts';
import { listNodes } from './workload-nodes.ts';

const loopback = '127.0.0.1';

export interface LocalWorkloadApi {
  /** The values that the simulated control planes write to their kubeconfigs. */
  readonly workload: SimulatedWorkload;
  stop(): Promise<void>;
}

interface Answer {
  readonly status: number;
  readonly body: Readonly<Record<string, unknown>>;
}

/**
 * Starts the endpoint at a free port with its own authority. `reads` is the management cluster, whose Machines become
 * the Nodes. Without `reads`, there are no Nodes.
 */
export async function startWorkloadApi(now: Instant, reads?: Pick<Reads, 'list'>): Promise<LocalWorkloadApi> {
  const authority = await createAuthority(now);
  const { certificate, privateKey } = await issueServerCertificate(authority, { address: loopback, now });
  const server = createServer(
    { cert: certificate, key: privateKey, ca: authority.certificate, requestCert: true, rejectUnauthorized: true },
    onLoopbackOnly((request, response) => {
      void answer(request.url ?? '/', reads).then(({ status, body }) => {
        response.writeHead(status, { 'content-type': 'application/json' });
        response.end(JSON.stringify(body));
      });
    }),
  );
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, loopback, resolve);
  });
  const { port } = server.address() as AddressInfo; // True: it listens on TCP.
  return {
    workload: { server: `https://${loopback}:${port}`, authority },
    stop: async () => {
      server.closeAllConnections();
      await new Promise<void>(resolve => server.close(() => resolve()));
    },
  };
}

async function answer(url: string, reads: Pick<Reads, 'list'> | undefined): Promise<Answer> {
  const { cluster, path } = readClusterPath(url);
  try {
    const nodes = cluster === undefined || reads === undefined ? [] : await listNodes(reads, cluster);
    return answerAt(path, nodes);
  } catch (thrown) {
    return toStatus(500, 'InternalError', toError(thrown).message);
  }
}

function answerAt(path: string, nodes: Awaited<ReturnType<typeof listNodes>>): Answer {
  const [, name] = /^\/api\/v1\/nodes\/([^/]+)$/.exec(path) ?? [];
  if (name === undefined) {
    const found = documents(nodes).get(path);
    return found === undefined ? toStatus(404, 'NotFound', `${path} is not served`) : { status: 200, body: found };
  }
  const node = nodes.find(({ metadata }) => metadata.name === decodeURIComponent(name));
  return node === undefined
    ? toStatus(404, 'NotFound', `nodes "${name}" not found`)
    : { status: 200, body: { ...node } };
}

/** The supported requests: a probe, `kubectl get nodes`, and a read of one Node. */
function documents(nodes: readonly unknown[]): ReadonlyMap<string, Readonly<Record<string, unknown>>> {
  const verbs = ['get', 'list'];
  const resource = { name: 'nodes', singularName: 'node', kind: 'Node', namespaced: false, shortNames: ['no'], verbs };
  return new Map([
    ['/', { paths: ['/api', '/api/v1', '/apis', '/version'] }],
    ['/version', { major: '1', minor: '36', gitVersion: 'v1.36.0-simulated' }],
    ['/api', { kind: 'APIVersions', versions: ['v1'] }],
    ['/apis', { kind: 'APIGroupList', apiVersion: 'v1', groups: [] }],
    ['/api/v1', { kind: 'APIResourceList', groupVersion: 'v1', resources: [resource] }],
    ['/api/v1/nodes', { kind: 'NodeList', apiVersion: 'v1', metadata: { resourceVersion: '1' }, items: nodes }],
  ]);
}

function toStatus(code: number, reason: string, message: string): Answer {
  return { status: code, body: { kind: 'Status', apiVersion: 'v1', status: 'Failure', reason, message, code } };
}
