// The forwarder as a process of its own: waits for the API server, forwards until it is told to stop, and says how it ended.
import type { Instant } from '../../shared/api/object.ts';
import { toError } from '../../shared/kernel/errors.ts';
import type { Declaration } from '../../shared/kernel/types.ts';
import type { Kubernetes } from '../../shared/kubernetes/port.ts';
import type { Gauge } from '../../shared/telemetry/prometheus.ts';
import { expandQueue, workQueueOf } from '../../shared/workqueue/queue-names.ts';
import { createForwarder, type Forwarder, type ForwarderOptions } from './forwarder.ts';
import { growingGapMs } from './growing-gap.ts';
import { whyNotReady } from './readiness.ts';

export interface ProcessOptions extends Omit<ForwarderOptions, 'kubernetes' | 'managementCluster'> {
  readonly kubernetes: Kubernetes;
  /** The uid of kube-system; rejects while the API server does not tell. */
  managementCluster(): Promise<string>;
}

export type ExitCode = 0 | 1;

const apiServerGaps = { firstMs: 500, longestMs: 30_000 };

/** What else a scrape shows beside the counters. */
export const pendingMessages = 'capi_serverless_pending_messages';
export const sourceSilence = 'capi_serverless_source_silence_seconds';

export class ForwarderProcess {
  readonly #options: ProcessOptions;
  #forwarder: Forwarder | undefined;

  constructor(options: ProcessOptions) {
    this.#options = options;
  }

  /** Resolves after `signal` aborts: with 0 when everything was sent, with 1 when messages were left. */
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

  /** Why changes are not told, one line each. */
  unready(now: Instant): readonly string[] {
    return this.#forwarder === undefined
      ? ['The API server has not been reached yet']
      : whyNotReady(this.#forwarder.sources, now);
  }

  gauges(now: Instant): readonly Gauge[] {
    const { pending = 0, sources = [] } = this.#forwarder ?? {};
    return [
      { name: pendingMessages, value: pending },
      ...sources.flatMap(({ name, origin, state, heardAt }) =>
        heardAt === undefined
          ? []
          : [{ name: sourceSilence, labels: { source: name, origin, state }, value: (now - heardAt) / 1_000 }],
      ),
    ];
  }

  /** `undefined` when the signal aborts first. */
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

/** The queues that the forwarder sends to and that nobody told it the URL of. */
export function missingQueues(
  declarations: readonly Pick<Declaration, 'name'>[],
  queueUrls: Readonly<Record<string, string>>,
): readonly string[] {
  return [expandQueue, ...declarations.map(({ name }) => workQueueOf(name))].filter(
    queue => !Object.hasOwn(queueUrls, queue),
  );
}
