// A simulated process of the product. It runs until it is killed. Its clock is skewed, and its calls are steps of the
// scheduler.

import type { Clock, Instant } from '@capi-serverless/apimachinery';
import type { Fault, Faults, Refusal } from './faults.ts';
import type { Random } from './random.ts';
import type { Scheduler, StepOwner } from './scheduler.ts';
import type { Trace } from './trace.ts';

/** The common state of all processes of a run. */
export interface Engine {
  readonly scheduler: Scheduler;
  /** The random source for latencies and orders. */
  readonly random: Random;
  readonly trace: Trace;
  /** The faults. Replaced by a plan without faults at the end of the period with faults. */
  faults: Faults;
  /** If `undefined`, no resync runs. */
  readonly resyncPeriodMs: number | undefined;
  /** The time of the last change that a watch lost. If `undefined`, none was lost. */
  lastLossAt?: Instant;
  /** The largest clock skew of a process. */
  readonly largestSkewMs: number;
  /** The number of calls of the product's processes. */
  calls: number;
  /** The numbers of the calls that change something, in order. */
  readonly writes: number[];
  /** The numbers of the calls of forwarders, in order. */
  readonly forwarderCalls: number[];
  /**
   * Called at the end of a run, because Node keeps every combined signal that has listeners, and all objects that it
   * references.
   */
  readonly atTheEnd: (() => void)[];
}

/** One call of one port. */
interface PortCall<T> {
  readonly port: 'kubernetes' | 'queues';
  /** The name of the call in the trace. */
  readonly label: string;
  readonly isWrite: boolean;
  /** Ends the wait early. */
  readonly signal: AbortSignal | undefined;
  /** The timeout of the client. */
  readonly timeoutMs: number;
  /** Performs the call. */
  perform(): Promise<T>;
  /** The client's result for a failed or missing answer. */
  refused(as: Refusal | 'aborted'): T;
}

/** The names of forwarders begin with this text. */
export const forwarderPrefix = 'forwarder-';

/** The typical latency of a call within one region. */
const shortestMs = 1;
const usualMs = 8;
const slowMs = 150;
const slowShare = 0.03;

export class SimulatedProcess implements StepOwner {
  readonly name: string;
  readonly clock: Clock;
  readonly #engine: Engine;
  readonly #onEnd: (() => void)[] = [];
  /** Removes the listeners on the signals of calls in progress. */
  readonly #letGo = new Set<() => void>();
  #alive = true;
  #calls = 0;

  /** `skewMs` is the time by which its clock is ahead. */
  constructor(engine: Engine, { name, skewMs }: { readonly name: string; readonly skewMs: number }) {
    this.#engine = engine;
    this.name = name;
    this.clock = createClock(engine.scheduler, { owner: this, skewMs, letGo: this.#letGo });
    engine.atTheEnd.push(() => this.end());
  }

  get alive(): boolean {
    return this.#alive;
  }

  /** The number of calls in progress. */
  get openCalls(): number {
    return this.#calls;
  }

  /** Called once, when the process is killed or receives a stop signal. */
  onEnd(listener: () => void): void {
    this.#onEnd.push(listener);
  }

  /** Stops all code of this process. */
  end(): void {
    if (this.#alive) {
      this.#alive = false;
      for (const listener of this.#onEnd) {
        listener();
      }
      for (const letGo of this.#letGo) {
        letGo();
      }
    }
  }

  /** Never rejects. Does not settle after the process has ended. */
  request<T>(call: PortCall<T>): Promise<T> {
    const { scheduler, trace, faults } = this.#engine;
    if (!this.#alive) {
      return new Promise(() => {});
    }
    this.#engine.calls += 1;
    const number = this.#engine.calls;
    if (call.isWrite) {
      this.#engine.writes.push(number);
    }
    if (this.name.startsWith(forwarderPrefix)) {
      this.#engine.forwarderCalls.push(number);
    }
    const fault = faults.at({ number, port: call.port, isWrite: call.isWrite, label: call.label, now: scheduler.now });
    trace.note(scheduler.now, () => `${this.name} #${number} ${call.label}`);
    if (fault !== undefined) {
      trace.fault(scheduler.now, `${describe(fault)}: ${this.name} #${number} ${call.label}`);
    }
    if (fault?.do === 'kill' && fault.when === 'before') {
      this.end();
      return new Promise(() => {});
    }
    return new Promise(resolve => this.#send(call, { number, fault, resolve }));
  }

  #send<T>(call: PortCall<T>, sent: Sent<T>): void {
    const { scheduler, trace } = this.#engine;
    const { fault, number } = sent;
    let waiting = true;
    let letGo = (): void => {};
    this.#calls += 1;
    const answer = (value: T): void => {
      if (waiting) {
        waiting = false;
        this.#calls -= 1;
        letGo();
        trace.note(scheduler.now, () => `${this.name} #${number} answered ${describeAnswer(value)}`);
        sent.resolve(value);
      }
    };
    const abort = (): void => answer(call.refused('aborted'));
    const answerLater = (value: T, ms = this.#latency()): void => {
      scheduler.after(ms, () => answer(value), this);
    };
    if (call.signal?.aborted === true) {
      answer(call.refused('aborted'));
      return;
    }
    letGo = listen(call.signal, abort, this.#letGo);
    const reaches = this.#latency() + (fault?.do === 'delay' ? fault.ms : 0);
    // A request in transit still arrives after its sender is killed.
    scheduler.after(reaches, () => {
      if (fault?.do === 'hang' && fault.when === 'before') {
        answerLater(call.refused('timeout'), call.timeoutMs);
      } else if (fault?.do === 'refuse' && fault.when === 'before') {
        answerLater(call.refused(fault.as));
      } else {
        void call.perform().then(value => this.#performed(call, { fault, value, answerLater }));
      }
    });
  }

  #performed<T>(call: PortCall<T>, { fault, value, answerLater }: Performed<T>): void {
    switch (fault?.do) {
      case 'kill':
        this.end();
        return;
      case 'hang':
        answerLater(call.refused('timeout'), call.timeoutMs);
        return;
      case 'refuse':
        answerLater(call.refused(fault.as));
        return;
      case 'delay':
      case undefined:
        answerLater(value);
    }
  }

  #latency(): number {
    const { random } = this.#engine;
    return random.chance(slowShare) ? random.between(usualMs, slowMs) : random.between(shortestMs, usualMs);
  }
}

interface Sent<T> {
  readonly number: number;
  readonly fault: Fault | undefined;
  readonly resolve: (value: T) => void;
}

interface Performed<T> {
  readonly fault: Fault | undefined;
  readonly value: T;
  readonly answerLater: (value: T, ms?: number) => void;
}

/** Listens until the signal is aborted, until there is an answer, or until `all` is called. */
function listen(signal: AbortSignal | undefined, onAbort: () => void, all: Set<() => void>): () => void {
  const letGo = (): void => {
    signal?.removeEventListener('abort', onAbort);
    all.delete(letGo);
  };
  signal?.addEventListener('abort', onAbort, { once: true });
  all.add(letGo);
  return letGo;
}

interface Time {
  readonly owner: StepOwner;
  readonly skewMs: number;
  readonly letGo: Set<() => void>;
}

/** The clock of a process. */
function createClock(scheduler: Scheduler, { owner, skewMs, letGo: all }: Time): Clock {
  return {
    now: (): Instant => Math.round(scheduler.now + skewMs),
    sleep: (ms, signal) =>
      new Promise(resolve => {
        if (signal?.aborted === true) {
          resolve();
          return;
        }
        const wake = (): void => {
          cancel();
          letGo();
          resolve();
        };
        const cancel = scheduler.after(ms, wake, owner);
        const letGo = listen(signal, wake, all);
      }),
  };
}

function describe(fault: Fault): string {
  return fault.do === 'delay'
    ? `delay by ${fault.ms.toFixed(0)} ms`
    : `${fault.do}${fault.do === 'refuse' ? ` as ${fault.as}` : ''} ${fault.when}`;
}

function describeAnswer(value: unknown): string {
  const isFailure = typeof value === 'object' && value !== null && 'failure' in value;
  return isFailure ? JSON.stringify(value.failure) : 'ok';
}
