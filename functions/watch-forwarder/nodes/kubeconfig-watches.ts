// The watches of one workload cluster, with the kubeconfig in the Secret of its Cluster. After a failure the Secret is
// read again, because the kubeconfig may have been rotated.
import {
  type Answer,
  type ApiFailure,
  answered,
  type Checked,
  type Clock,
  type ListedPage,
  type Name,
  type Reads,
  refused,
  type Watches,
} from '@capi-serverless/apimachinery';
import { isTooLargeForKubeconfig, kubeconfigName, secretText } from '../../../shared/api/secret.ts';
import type { RequestSlots } from '../../../shared/workload/request-slots.ts';
import type { WatchWorkload } from '../../../shared/workload/watches.ts';

interface KubeconfigWatchesOptions {
  readonly cluster: Name & { readonly uid: string };
  readonly reads: Pick<Reads, 'get'>;
  readonly connect: WatchWorkload;
  /** Limits the lists of all workload clusters. */
  readonly slots: RequestSlots;
  readonly clock: Pick<Clock, 'now'>;
}

/** A tenant's API server may send any number of events. 5,000 Nodes send about 1,000 in a minute. */
const mostEventsPerMinute = 10_000;
const minuteMs = 60_000;

interface Connected {
  /** The version of the Secret. */
  readonly version: string;
  readonly watches: Checked<Watches>;
}

export class KubeconfigWatches implements Watches {
  readonly #options: KubeconfigWatchesOptions;
  #connected: Connected | undefined;
  #isStale = true;

  constructor(options: KubeconfigWatchesOptions) {
    this.#options = options;
  }

  async page(...[query, options]: Parameters<Watches['page']>): Promise<Answer<ListedPage>> {
    const { name, namespace } = this.#options.cluster;
    const label = `list ${query.kind} of ${namespace}/${name}`;
    const { signal } = options;
    return this.#options.slots.send({
      label,
      signal,
      send: async () => {
        const watches = await this.#open();
        if (!watches.ok) {
          return watches;
        }
        const page = await watches.value.page(query, options);
        this.#isStale = !page.ok;
        return page;
      },
    });
  }

  async *watch(...[query, options]: Parameters<Watches['watch']>): ReturnType<Watches['watch']> {
    const watches = await this.#open();
    if (!watches.ok) {
      yield { type: 'FAILED', failure: watches.failure };
      return;
    }
    const { clock } = this.#options;
    let since = clock.now();
    let events = 0;
    for await (const event of watches.value.watch(query, options)) {
      this.#isStale = event.type === 'FAILED';
      const isNextMinute = clock.now() - since >= minuteMs;
      since = isNextMinute ? clock.now() : since;
      events = isNextMinute ? 1 : events + 1;
      if (events > mostEventsPerMinute) {
        yield { type: 'FAILED', failure: this.#tooManyEvents() };
        return;
      }
      yield event;
    }
  }

  #tooManyEvents(): ApiFailure {
    const { namespace, name } = this.#options.cluster;
    const message = `The workload cluster of ${namespace}/${name} sent more than ${mostEventsPerMinute} events in a minute`;
    return { reason: 'TooManyRequests', message, retryAfterMs: minuteMs };
  }

  /** Fails as an API server that is not reachable, so that the next attempt waits. */
  async #open(): Promise<Answer<Watches>> {
    const connected = this.#isStale ? await this.#connect() : this.#connected;
    const watches = connected?.watches;
    return watches?.ok === true
      ? answered(watches.value)
      : refused({ reason: 'Unavailable', message: watches?.error ?? 'There is no connection' });
  }

  async #connect(): Promise<Connected> {
    const { cluster, reads, connect } = this.#options;
    const { namespace, uid } = cluster;
    const name = kubeconfigName({ metadata: cluster });
    const secret = await reads.get({ apiVersion: 'v1', kind: 'Secret', namespace, name });
    if (!secret.ok) {
      return fail(`reading Secret ${namespace}/${name}: ${secret.failure.message}`);
    }
    const version = secret.value.metadata.resourceVersion;
    if (this.#connected?.version === version) {
      return this.#connected;
    }
    const kubeconfig = secretText(secret.value, 'value');
    if (isTooLargeForKubeconfig(kubeconfig)) {
      return fail(`Secret ${namespace}/${name} is too large for a kubeconfig`);
    }
    const origin = `in Secret ${namespace}/${name}`;
    this.#connected = { version, watches: await connect({ cluster: uid, origin, kubeconfig, version }) };
    return this.#connected;
  }
}

function fail(error: string): Connected {
  return { version: '', watches: { ok: false, error } };
}
