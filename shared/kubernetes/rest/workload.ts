// Probes the API server of a workload cluster: one request on its own connection, as upstream's health check does.

import { toError } from '@capi-serverless/reconciler';
import { type Probe, type ProbeTarget, probeTimeoutMs, type WorkloadClusters } from '../../workload/port.ts';
import type { ConnectionLimits } from './connection.ts';
import { type ConnectWorkload, createConnectWorkload, type WorkloadAccess } from './workload-connection.ts';

/** The timeout of the probe ends the request. Those of the connection are at least as long. */
function limitsOf(timeoutMs: number): ConnectionLimits {
  const ms = Math.max(timeoutMs, probeTimeoutMs);
  return { connectTimeoutMs: ms, requestTimeoutMs: ms, maxAnswerBytes: 1024 * 1024, maxSockets: 1 };
}

interface WorkloadOptions extends WorkloadAccess {
  /** The timeout for the whole probe. */
  readonly timeoutMs?: number;
}

export function createWorkload({ timeoutMs = probeTimeoutMs, ...access }: WorkloadOptions): WorkloadClusters {
  const connect = createConnectWorkload(access, { limits: limitsOf(timeoutMs), use: 'once' });
  return {
    probe: async (target, signal) => {
      const timeout = AbortSignal.timeout(timeoutMs);
      try {
        const answer = await probe(target, connect, AbortSignal.any([signal, timeout]));
        return !answer.ok && timeout.aborted
          ? { ...answer, error: `no answer to the probe within ${timeoutMs / 1000} s` }
          : answer;
      } catch (thrown) {
        return { ok: false, error: toError(thrown).message };
      }
    },
  };
}

/** As in upstream, every answer except success is a failure. */
async function probe(target: ProbeTarget, connect: ConnectWorkload, signal: AbortSignal): Promise<Probe> {
  const connection = await connect(target);
  const answer = await connection.get('/', signal);
  connection.close();
  return answer.ok ? { ok: true } : answer;
}
