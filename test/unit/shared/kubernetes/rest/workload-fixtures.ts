// Clients of workload clusters that are connected to scripted servers.
import type { Answer, ApiFailure } from '@capi-serverless/apimachinery';
import { createWorkloadClients } from '../../../../../shared/kubernetes/rest/workload-clients.ts';
import { type FaultServer, reply, type Script, startFaultServer } from '../../../../support/fault-server.ts';
import { SteppedClock } from '../../../../support/stepped-clock.ts';
import { plainKubeconfig } from '../../../../support/workload-kubeconfig.ts';

export const { signal } = new AbortController();
export const nodeRef = { apiVersion: 'v1', kind: 'Node', name: 'n1' };
export const nodesQuery = { apiVersion: 'v1', kind: 'Node' };
export const podRef = { apiVersion: 'v1', kind: 'Pod', namespace: 'app', name: 'p1' };
export const metadata = { name: 'n1', uid: 'u', resourceVersion: '1' };
export const node = { ...nodesQuery, metadata };
export const cluster = { uid: 'uid', namespace: 'ns', name: 'c1' };

const servers: FaultServer[] = [];

export async function closeServers(): Promise<void> {
  await Promise.all(servers.splice(0).map(server => server.close()));
}

export async function serve(
  script: Script,
  options: { readonly tls?: boolean } = { tls: false },
): Promise<FaultServer> {
  const server = await startFaultServer(script, options);
  servers.push(server);
  return server;
}

type Options = Partial<Parameters<typeof createWorkloadClients>[0]>;

export function connect(options: Options = {}) {
  const clock = new SteppedClock();
  const base = { addresses: 'any', client: 'tester', userAgent: 'agent' } as const;
  return { clock, ...createWorkloadClients({ ...base, clock, ...options }) };
}

export const targetOf = (kubeconfig: string, version = '1', uid = cluster.uid) => ({
  cluster: uid,
  origin: 'in Secret ns/c1-kubeconfig',
  kubeconfig,
  version,
});

/** Reads the Node through a server with this script. */
export async function readFrom(script: Script, options: Options = {}) {
  const server = await serve(script);
  const { api, writers } = connect(options);
  const reads = api.reads(targetOf(plainKubeconfig({ server: server.url })), signal);
  return { server, reads, writes: writers(cluster) };
}

export function failureOf(answer: Answer<unknown>): ApiFailure {
  if (answer.ok) {
    throw new Error('Expected a failure');
  }
  return answer.failure;
}

export const answering =
  (body: unknown, status = 200): Script =>
  (_request, response) =>
    reply(response, status, body);
