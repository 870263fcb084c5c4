// One bounded wait per workload cluster: if it does not answer, only one request of a batch waits for it.
import { type Answer, type ApiFailure, type Clock, type Instant, refused } from '@capi-serverless/apimachinery';
import { isConnectionDown } from './api.ts';
import { probeTimeoutMs } from './port.ts';
import { unlessAborted } from './unless-aborted.ts';

/** The time for which a gate stays closed after a failure, and open after an answer. */
const intervalMs = 10_000;

interface Attempt {
  readonly signal: AbortSignal;
  /** To be called when the head of an answer arrives, before its body. */
  readonly onHead: (status: number) => void;
}

interface GatedRequest<T> {
  /** The name of the request in messages. */
  readonly label: string;
  readonly signal: AbortSignal;
  /**
   * A write is not a probe and has no limit of 5 s, and its missing answer does not close the gate: admission webhooks may
   * be slow, and kube-apiserver tries an eviction for 10 s if a pending Pod has another uid.
   */
  readonly isWrite: boolean;
  /** Sends the request. Never rejects. */
  readonly send: (attempt: Attempt) => Promise<Answer<T>>;
}

/**
 * The gate of one workload cluster. Its first read is the probe, and concurrent requests wait for its outcome. Every
 * HTTP answer except 401 opens the gate. A failure of the connection closes it: until the interval is over, all requests
 * fail with the same failure, marked `notSent`.
 */
export class ConnectionGate {
  readonly #clock: Clock;
  #answeredAt: Instant | undefined;
  #closed: { readonly until: Instant; readonly failure: ApiFailure } | undefined;
  #probe: Promise<void> | undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Each further round of the loop follows a probe that its caller aborted. */
  async send<T>(request: GatedRequest<T>): Promise<Answer<T>> {
    const { signal, label, isWrite } = request;
    for (;;) {
      if (signal.aborted) {
        return refused({ reason: 'Aborted', message: `${label}: aborted before it was sent` });
      }
      const now = this.#clock.now();
      if (this.#closed !== undefined && now < this.#closed.until) {
        return refused({ ...this.#closed.failure, notSent: true });
      }
      if (this.#answeredAt !== undefined && now - this.#answeredAt < intervalMs) {
        return this.#sendThrough(request);
      }
      if (this.#probe === undefined) {
        return isWrite ? this.#sendThrough(request) : this.#sendProbe(request);
      }
      await unlessAborted(this.#probe, signal);
    }
  }

  async #sendThrough<T>({ signal, send }: GatedRequest<T>): Promise<Answer<T>> {
    const answer = await send({ signal, onHead: status => this.#onHead(status) });
    this.#learn(answer);
    return answer;
  }

  async #sendProbe<T>({ label, signal, send }: GatedRequest<T>): Promise<Answer<T>> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#probe = promise;
    const late = new AbortController();
    const answering = new AbortController();
    void this.#clock.sleep(probeTimeoutMs, answering.signal).then(() => {
      if (!answering.signal.aborted) {
        late.abort();
      }
    });
    const onHead = (status: number): void => {
      answering.abort();
      if (this.#onHead(status)) {
        resolve();
      }
    };
    const sent = await send({ signal: AbortSignal.any([signal, late.signal]), onHead });
    answering.abort();
    const answer = late.signal.aborted && !signal.aborted ? withoutAnswer(sent, label) : sent;
    this.#learn(answer);
    if (this.#probe === promise) {
      this.#probe = undefined;
    }
    resolve();
    return answer;
  }

  /** Returns whether this status opens the gate. */
  #onHead(status: number): boolean {
    if (status === 401) {
      return false;
    }
    this.#answeredAt = this.#clock.now();
    this.#closed = undefined;
    return true;
  }

  #learn(answer: Answer<unknown>): void {
    if (!answer.ok && isConnectionDown(answer.failure)) {
      this.#closed = { until: this.#clock.now() + intervalMs, failure: answer.failure };
      this.#answeredAt = undefined;
    }
  }
}

function withoutAnswer<T>(answer: Answer<T>, label: string): Answer<T> {
  const message = `${label}: no answer within ${probeTimeoutMs / 1000} s`;
  return answer.ok ? answer : refused({ reason: 'Unavailable', message });
}
