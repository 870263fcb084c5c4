// Caches probe results of workload clusters, so that many events do not cause many probes. The cache has the lifetime
// of the process. Its loss causes one additional probe and loses the time of the last success.
import type { Clock, Instant } from '@capi-serverless/apimachinery';
import { setNewest } from '../bounded-map.ts';
import { type Probe, type ProbeTarget, probeTimeoutMs, type WorkloadClusters } from './port.ts';

/** Upstream's interval between two probes. */
const intervalMs = 10_000;
/** The maximum number of clusters in the cache. */
const capacity = 1000;

interface Memory {
  readonly version: string;
  readonly startedAt: Instant;
  readonly probe: Promise<Probe>;
  readonly lastSuccessAt: Instant | undefined;
}

/** Sends at most one probe per interval and kubeconfig. A failure contains the time of the last successful probe. */
export function rememberProbes(workload: WorkloadClusters, clock: Pick<Clock, 'now'>): WorkloadClusters {
  const memories = new Map<string, Memory>();

  async function ask(target: ProbeTarget, before: Instant | undefined, signal: AbortSignal): Promise<Probe> {
    const probe = await workload.probe(target, signal);
    return probe.ok || before === undefined ? probe : { ...probe, lastSuccessAt: before };
  }

  async function probeAnew(target: ProbeTarget, before: Instant | undefined, signal: AbortSignal): Promise<Probe> {
    const startedAt = clock.now();
    const probe = ask(target, before, signal);
    const memory = { version: target.version, startedAt, probe, lastSuccessAt: before };
    setNewest(memories, target.cluster, memory, capacity);
    const answer = await probe;
    if (memories.get(target.cluster) === memory) {
      if (signal.aborted) {
        memories.delete(target.cluster);
      } else if (answer.ok) {
        setNewest(memories, target.cluster, { ...memory, lastSuccessAt: startedAt }, capacity);
      }
    }
    return answer;
  }

  return {
    probe: async (target, signal, deadline = Number.POSITIVE_INFINITY) => {
      const memory = memories.get(target.cluster);
      const isFresh =
        memory !== undefined && memory.version === target.version && clock.now() - memory.startedAt < intervalMs;
      if (isFresh) {
        return memory.probe;
      }
      return clock.now() + probeTimeoutMs > deadline
        ? { ok: false, error: 'no time is left for a probe', postponed: true }
        : probeAnew(target, memory?.lastSuccessAt, signal);
    },
  };
}
