// A connection to the API server of a workload cluster, with the kubeconfig in its Secret.
import { type Checked, invalid, valid, withoutUndefined } from '@capi-serverless/apimachinery';
import { parseOnce } from '../../certificates/parse-once.ts';
import type { ProbeTarget } from '../../workload/port.ts';
import { type InlineKubeconfig, readInlineKubeconfig } from '../credentials/kubeconfig.ts';
import { Connection, type ConnectionLimits } from './connection.ts';
import { routableLookup, whyUnroutable } from './routable.ts';

export interface WorkloadAccess {
  readonly userAgent: string;
  /** 'routable': loopback, link-local and cloud metadata addresses are blocked. */
  readonly addresses: 'routable' | 'any';
}

interface WorkloadConnection {
  /**
   * Returns the body of a successful answer. Errors contain the address of the server, but no other part of the
   * kubeconfig.
   */
  get(path: string, signal: AbortSignal): Promise<Checked<Buffer>>;
  close(): void;
}

interface AddressRules extends Pick<ConnectionLimits, 'lookup'> {
  /** The reason why the server must not be called. */
  readonly refusal?: string;
}

/** Returns the rules for connections to this server. */
export function addressRules(server: string, addresses: WorkloadAccess['addresses']): AddressRules {
  if (addresses === 'any') {
    return {};
  }
  const refusal = whyUnroutable(new URL(server).hostname.replace(/^\[|\]$/g, ''));
  return { lookup: routableLookup, ...withoutUndefined({ refusal }) };
}

/** Rejects if the kubeconfig is not usable. */
export type ConnectWorkload = (target: ProbeTarget) => Promise<WorkloadConnection>;

/**
 * Connects to workload clusters, and parses each version of a kubeconfig once. 'once': the server need not keep the
 * connection alive.
 */
export function createConnectWorkload(access: WorkloadAccess, using: Using): ConnectWorkload {
  const kubeconfigs = parseOnce<InlineKubeconfig>();
  return async ({ cluster, version, origin, kubeconfig }) => {
    const key = `${cluster}@${version}`;
    return connect(await kubeconfigs(key, () => readInlineKubeconfig(origin, kubeconfig)), access, using);
  };
}

interface Using {
  readonly limits: ConnectionLimits;
  readonly use: 'once' | 'often';
}

function connect(
  { endpoint, authorization }: InlineKubeconfig,
  { userAgent, addresses }: WorkloadAccess,
  { limits, use }: Using,
): WorkloadConnection {
  const isPlain = endpoint.server.startsWith('http:');
  const { origin } = new URL(endpoint.server);
  const { refusal, ...resolving } = addressRules(endpoint.server, addresses);
  const connection = new Connection(endpoint, { ...limits, ...resolving });
  const headers = {
    accept: 'application/json',
    ...(use === 'once' ? { connection: 'close' } : {}),
    'user-agent': userAgent,
    ...(authorization === undefined || isPlain ? {} : { authorization }),
  };
  return {
    get: async (path, signal) => {
      // The URL without the path of the server, which may be a tenant's secret.
      const request = `GET ${origin}${path}`;
      if (refusal !== undefined) {
        return invalid(`${request} was not sent: ${refusal}`);
      }
      const exchange = await connection.exchange({ method: 'GET', path, headers, signal });
      if ('lost' in exchange) {
        return invalid(`${request}: ${exchange.lost.message}`);
      }
      // Redirects are not followed. An API server that refuses the credentials is treated as failed.
      const { status, body } = exchange.answer;
      return status >= 200 && status < 300 ? valid(body) : invalid(`${request}: answered with status ${status}`);
    },
    close: () => connection.dropIdleSockets(),
  };
}
