// A connection to the API server of a workload cluster, with the kubeconfig in its Secret.
import { type Checked, invalid, valid } from '@capi-serverless/apimachinery';
import type { ProbeTarget } from '../../workload/port.ts';
import { readInlineKubeconfig } from '../credentials/kubeconfig.ts';
import { Connection, type Limits } from './connection.ts';
import { routableLookup, whyUnroutable } from './routable.ts';

export interface WorkloadAccess {
  readonly userAgent: string;
  /** 'routable': loopback, link-local and cloud metadata addresses are blocked. */
  readonly addresses: 'routable' | 'any';
}

interface WorkloadConnection {
  /** Returns the body of a successful answer. Errors contain the request, but never the kubeconfig. */
  get(path: string, signal: AbortSignal): Promise<Checked<string>>;
  close(): void;
}

/** Rejects if the kubeconfig is not usable. 'once': the server need not keep the connection alive. */
export async function connectWorkload(
  { origin, kubeconfig }: Pick<ProbeTarget, 'origin' | 'kubeconfig'>,
  { userAgent, addresses }: WorkloadAccess,
  { limits, use }: { readonly limits: Limits; readonly use: 'once' | 'often' },
): Promise<WorkloadConnection> {
  const { endpoint, authorization } = await readInlineKubeconfig(origin, kubeconfig);
  const isPlain = endpoint.server.startsWith('http:');
  const hostname = new URL(endpoint.server).hostname.replace(/^\[|\]$/g, '');
  const refusal = addresses === 'any' ? undefined : whyUnroutable(hostname);
  const connection = new Connection(endpoint, addresses === 'any' ? limits : { ...limits, lookup: routableLookup });
  const headers = {
    accept: 'application/json',
    ...(use === 'once' ? { connection: 'close' } : {}),
    'user-agent': userAgent,
    ...(authorization === undefined || isPlain ? {} : { authorization }),
  };
  return {
    get: async (path, signal) => {
      const request = `GET ${endpoint.server}${path}`;
      if (refusal !== undefined) {
        return invalid(`${request} was not sent: ${refusal}`);
      }
      const exchange = await connection.exchange({ method: 'GET', path, headers, signal });
      if ('lost' in exchange) {
        return invalid(`${request}: ${exchange.lost.message}`);
      }
      // Redirects are not followed. An API server that refuses the credentials is treated as failed.
      const { status, text } = exchange.answer;
      return status >= 200 && status < 300 ? valid(text) : invalid(`${request}: answered with status ${status}`);
    },
    close: () => connection.dropIdleSockets(),
  };
}
