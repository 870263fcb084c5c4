// The lifecycle of the forwarder's process: waits for the API server, forwards until it is stopped, and returns an exit
// code.
import type { Instant, Kubernetes } from '@capi-serverless/apimachinery';
import { type Declaration, toError } from '@capi-serverless/reconciler';
import type { Gauge } from '../../shared/telemetry/prometheus.ts';
import { expandQueue, findActualQueue, workQueueOf } from '../../shared/workqueue/queue-names.ts';
import { createForwarder, type Forwarder, type ForwarderOptions } from './forwarder.ts';
import { growingGapMs } from './growing-gap.ts';
import { whyNotReady } from './readiness.ts';

interface ProcessOptions extends Omit<ForwarderOptions, 'kubernetes' | 'managementCluster'> {
  readonly kubernetes: Kubernetes;
  /** Returns the uid of kube-system. Rejects if the API server cannot be read. */
  managementCluster(): Promise<string>;
}

type ExitCode = 0 | 1;

const apiServerGaps = { firstMs: 500, longestMs: 30_000 };

/** Gauges that a scrape returns in addition to the counters. */
const pendingMessages = 'capi_serverless_pending_messages';
const sourceSilence = 'capi_serverless_source_silence_seconds';
const watchedWorkloads = 'capi_serverless_watched_workload_clusters';

export class ForwarderProcess {
  readonly #options: ProcessOptions;
  #forwarder: Forwarder | undefined;

  constructor(options: ProcessOptions) {
    this.#options = options;
  }

  /** Resolves after `signal` aborts. The value is 0 if all messages were sent, and 1 otherwise. */
  async run(signal: AbortSignal): Promise<ExitCode> {
    const managementCluster = await this.#identify(signal);
    if (managementCluster === undefined) {
      return 0;
    }
    const { kubernetes, log } = this.#options;
    this.#forwarder = createForwarder({
      ...this.#options,
      kubernetes: { reads: kubernetes, watches: kubernetes.watches },
      managementCluster,
    });
    log.info('Forwarding changes', { managementCluster });
    await this.#forwarder.run(signal);
    return this.#forwarder.pending === 0 ? 0 : 1;
  }

  /** Returns the reasons why changes are not forwarded, one per line. */
  unready(now: Instant): readonly string[] {
    return this.#forwarder === undefined
      ? ['The API server has not been reached yet']
      : whyNotReady(this.#forwarder.sources, now);
  }

  gauges(now: Instant): readonly Gauge[] {
    const { pending = 0, sources = [], workloadClusters = 0 } = this.#forwarder ?? {};
    return [
      { name: pendingMessages, value: pending },
      { name: watchedWorkloads, value: workloadClusters },
      ...sources.flatMap(({ name, origin, state, lastActivityAt }) =>
        lastActivityAt === undefined
          ? []
          : [{ name: sourceSilence, labels: { source: name, origin, state }, value: (now - lastActivityAt) / 1_000 }],
      ),
    ];
  }

  /** Returns `undefined` if the signal aborts first. */
  async #identify(signal: AbortSignal): Promise<string | undefined> {
    const { clock, log, managementCluster } = this.#options;
    for (let failures = 1; !signal.aborted; failures += 1) {
      try {
        return await managementCluster();
      } catch (thrown) {
        const retryAfterMs = growingGapMs(failures, apiServerGaps);
        log.error('Waiting for the API server', toError(thrown), { retryAfterMs });
        await clock.sleep(retryAfterMs, signal);
      }
    }
    return undefined;
  }
}

/** Returns the queues of the forwarder without a configured URL. */
export function missingQueues(
  declarations: readonly Pick<Declaration, 'name'>[],
  queueUrls: Readonly<Record<string, string>>,
): readonly string[] {
  return [expandQueue, ...declarations.map(({ name }) => workQueueOf(name))].filter(
    queue => findActualQueue(queue, queueUrls) === undefined,
  );
}
