// Asks the API server of a workload cluster whether it answers: one request over a connection of its own.

import { toError } from '../../kernel/errors.ts';
import type { Probe, ProbeTarget, Workload } from '../../workload/port.ts';
import { readInlineKubeconfig } from '../credentials/kubeconfig.ts';
import { Connection, type Limits } from './connection.ts';

/** Upstream's timeout of a probe. */
const probeTimeoutMs = 5000;

const limits: Limits = {
  connectTimeoutMs: probeTimeoutMs,
  requestTimeoutMs: probeTimeoutMs,
  maxAnswerBytes: 1024 * 1024,
  maxSockets: 1,
};

/** `timeoutMs`: of the whole probe. */
export function createWorkload({
  userAgent,
  timeoutMs = probeTimeoutMs,
}: {
  readonly userAgent: string;
  readonly timeoutMs?: number;
}): Workload {
  return {
    probe: async (target, signal) => {
      const timeout = AbortSignal.timeout(timeoutMs);
      try {
        const answer = await probe(target, { userAgent, signal: AbortSignal.any([signal, timeout]) });
        return !answer.ok && timeout.aborted
          ? { ...answer, error: `no answer to the probe within ${timeoutMs / 1000} s` }
          : answer;
      } catch (thrown) {
        return { ok: false, error: toError(thrown).message };
      }
    },
  };
}

interface Asking {
  readonly userAgent: string;
  readonly signal: AbortSignal;
}

/** As upstream, anything but success is a failure: an API server that refuses these credentials is of no use. */
async function probe({ origin, kubeconfig }: ProbeTarget, { userAgent, signal }: Asking): Promise<Probe> {
  const { endpoint, authorization } = await readInlineKubeconfig(origin, kubeconfig);
  const isPlain = endpoint.server.startsWith('http:');
  const connection = new Connection(endpoint, limits);
  const exchange = await connection.exchange({
    method: 'GET',
    path: '/',
    headers: {
      accept: 'application/json',
      connection: 'close',
      'user-agent': userAgent,
      ...(authorization === undefined || isPlain ? {} : { authorization }),
    },
    signal,
  });
  connection.dropIdleSockets();
  if ('lost' in exchange) {
    return { ok: false, error: `GET ${endpoint.server}/: ${exchange.lost.message}` };
  }
  const { status } = exchange.answer;
  return status >= 200 && status < 300
    ? { ok: true }
    : { ok: false, error: `GET ${endpoint.server}/: answered with status ${status}` };
}
