// A watch with network faults. Changes arrive late but in order, some are lost, and the stream may end at any time.
import type { Kubernetes, WatchEvent, Watches } from '@capi-serverless/apimachinery';
import type { Engine, SimulatedProcess } from '../engine/process.ts';
import type { Random } from '../engine/random.ts';
import { toApiFailure } from './api-failure.ts';

export interface WatchNetwork {
  readonly engine: Engine;
  readonly process: SimulatedProcess;
  readonly random: Random;
  readonly server: Kubernetes;
}

type Item = WatchEvent | { readonly type: 'FAILED'; readonly failure: ReturnType<typeof toApiFailure> };
type Options = Parameters<Watches['watch']>[1];

const usualLagMs = 20;
const longestLagMs = 5_000;

export async function* watchOver(
  network: WatchNetwork,
  query: Parameters<Watches['watch']>[0],
  options: Options,
): AsyncGenerator<Item> {
  const { process, server } = network;
  const label = `watch ${query.kind} from ${options.resourceVersion}`;
  const opened = await process.request<Item | undefined>({
    port: 'kubernetes',
    label,
    isWrite: false,
    signal: options.signal,
    timeoutMs: 60_000,
    perform: async () => undefined,
    refused: as => ({ type: 'FAILED', failure: toApiFailure(as, { label, isWrite: false }) }),
  });
  if (opened !== undefined) {
    yield opened;
    return;
  }
  const closed = new AbortController();
  process.onEnd(() => closed.abort('the process has ended'));
  const signal = AbortSignal.any([options.signal, closed.signal]);
  const arrivals = new Arrivals(network);
  const letGo = arrivals.endOn(options.signal);
  process.onEnd(letGo);
  void arrivals.pump(server.watches.watch(query, { ...options, signal }));
  try {
    for (let item = await arrivals.next(); item !== undefined; item = await arrivals.next()) {
      yield item;
    }
  } finally {
    letGo();
    closed.abort('the watch is over');
  }
}

/** Changes that arrived but were not read yet. */
class Arrivals {
  readonly #network: WatchNetwork;
  readonly #items: (Item | undefined)[] = [];
  #wake = (): void => {};
  #latest = 0;
  #ended = false;

  constructor(network: WatchNetwork) {
    this.#network = network;
  }

  /**
   * Ends with the signal. Call the result when the watch or its process has ended: Node keeps every combined signal that
   * has listeners, here with the whole run.
   */
  endOn(signal: AbortSignal): () => void {
    const end = (): void => this.#arrive(undefined);
    signal.addEventListener('abort', end, { once: true });
    return () => signal.removeEventListener('abort', end);
  }

  async pump(stream: AsyncIterable<Item>): Promise<void> {
    for await (const item of stream) {
      if (this.#ended) {
        return;
      }
      this.#send(item);
    }
    this.#plan(undefined);
  }

  /** `undefined` means that the stream has ended. */
  async next(): Promise<Item | undefined> {
    if (this.#items.length === 0) {
      await new Promise<void>(resolve => {
        this.#wake = resolve;
      });
    }
    return this.#items.shift();
  }

  #send(item: Item): void {
    const { engine, random, process } = this.#network;
    const { rates } = engine.faults;
    if (item.type !== 'BOOKMARK' && item.type !== 'FAILED' && random.chance(rates.lostEvent)) {
      const { kind, metadata } = item.object;
      engine.lastLossAt = engine.scheduler.now;
      engine.trace.fault(engine.scheduler.now, `lost event: ${item.type} ${kind} ${metadata.name} to ${process.name}`);
      // A lost change is lost permanently: a watch that resumes does not send it again.
      this.#plan({ type: 'BOOKMARK', resourceVersion: metadata.resourceVersion });
      return;
    }
    this.#plan(item);
    if (random.chance(rates.endedWatch)) {
      engine.trace.fault(engine.scheduler.now, `ended watch of ${process.name}`);
      this.#ended = true;
      this.#plan(undefined);
    }
  }

  #plan(item: Item | undefined): void {
    const { engine, random, process } = this.#network;
    const { scheduler, faults } = engine;
    const lag = random.chance(faults.rates.lateEvent)
      ? random.between(usualLagMs, longestLagMs)
      : random.between(1, usualLagMs);
    this.#latest = Math.max(this.#latest, scheduler.now + lag);
    scheduler.after(this.#latest - scheduler.now, () => this.#arrive(item), process);
  }

  #arrive(item: Item | undefined): void {
    this.#items.push(item);
    this.#wake();
  }
}
