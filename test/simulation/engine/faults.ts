// The faults of one run: none, one at a given call, or a random mixture from the seed.
import type { Instant } from '@capi-serverless/apimachinery';
import type { Random } from './random.ts';

/** Failures of the API server, as faults name them. Only `timeout` may take effect. */
export const refusals = [
  'conflict',
  'notServed',
  'tooManyRequests',
  'forbidden',
  'internalError',
  'unavailable',
  'timeout',
] as const;

export type Refusal = (typeof refusals)[number];

/** `before`: the call takes no effect. `after`: it took effect, and only its response is lost. */
export type Fault =
  | { readonly do: 'kill'; readonly when: 'before' | 'after' }
  | { readonly do: 'hang'; readonly when: 'before' | 'after' }
  | { readonly do: 'refuse'; readonly when: 'before' | 'after'; readonly as: Refusal }
  | { readonly do: 'delay'; readonly ms: number };

/** The properties of a call that select its fault. */
interface FaultPoint {
  /** 1, 2, … over all calls that processes of the product make in one run. */
  readonly number: number;
  readonly port: 'kubernetes' | 'queues';
  readonly isWrite: boolean;
  /** The call, as the trace shows it. */
  readonly label: string;
  readonly now: Instant;
}

/**
 * A period in which no request of the product reaches the API server. `hang`: the server accepts requests and never
 * answers.
 */
export interface Outage {
  /** The time from the first call of the run until the period begins. */
  readonly beginsAfterMs: number;
  readonly lastsMs: number;
  readonly as: 'hang' | Extract<Refusal, 'unavailable' | 'forbidden' | 'timeout'>;
}

/** The frequency of each fault. It is a probability per opportunity unless stated otherwise. */
interface Rates {
  readonly kill: number;
  readonly hang: number;
  readonly refuse: number;
  readonly delay: number;
  /** A standard queue delivers a message twice. */
  readonly duplicate: number;
  /** An acknowledged message is not deleted, so it is delivered again. */
  readonly undeleted: number;
  /** A batch is delivered to a second invocation while the first one is in progress. */
  readonly twice: number;
  /** A batch waits for seconds before the function is invoked. */
  readonly lateBatch: number;
  /** A watched change reaches the forwarder seconds late. */
  readonly lateEvent: number;
  /** A watched change never reaches the forwarder. */
  readonly lostEvent: number;
  /** A watch ends, per delivered change. */
  readonly endedWatch: number;
  /** A forwarder is killed, per second of the disturbed time. Its unsent messages are lost. */
  readonly forwarderKill: number;
  /** The API server forgets its history, per second of the disturbed time. */
  readonly compaction: number;
  /** An unreadable message is sent to a queue, per second of the disturbed time. */
  readonly nonsense: number;
  /** All functions are replaced by the next version, per second of the disturbed time. */
  readonly deployment: number;
}

export const calm: Rates = {
  kill: 0,
  hang: 0,
  refuse: 0,
  delay: 0,
  duplicate: 0,
  undeleted: 0,
  twice: 0,
  lateBatch: 0,
  lateEvent: 0,
  lostEvent: 0,
  endedWatch: 0,
  forwarderKill: 0,
  compaction: 0,
  nonsense: 0,
  deployment: 0,
};

/** The highest frequencies of a mixture. */
const strongest: Rates = {
  kill: 0.03,
  hang: 0.01,
  refuse: 0.08,
  delay: 0.1,
  duplicate: 0.2,
  undeleted: 0.1,
  twice: 0.1,
  lateBatch: 0.1,
  lateEvent: 0.2,
  lostEvent: 0,
  endedWatch: 0.05,
  forwarderKill: 0.03,
  compaction: 0.03,
  nonsense: 0.05,
  deployment: 0.02,
};

/** Each kind of fault is absent from half of the runs, so that frequent faults do not hide rare combinations. */
export function drawRates(random: Random): Rates {
  const drawn = Object.entries(strongest).map(([kind, most]) => [kind, random.chance(0.5) ? random.next() * most : 0]);
  return { ...calm, ...Object.fromEntries(drawn) };
}

export interface Faults {
  readonly rates: Rates;
  readonly outage?: Outage;
  /** Whether every function reads the management cluster before its first reconcile. */
  readonly readsManagementCluster?: true;
  /** The fault of this call, if any. */
  at(point: FaultPoint): Fault | undefined;
}

export const noFaults: Faults = { rates: calm, at: () => undefined };

/** One fault at the call with that number. */
export function faultAt(number: number, fault: Fault): Faults {
  return { rates: calm, at: point => (point.number === number ? fault : undefined) };
}

/** Refuses every request to the API server during the outage. The queues are available. */
export function outageFaults(outage: Outage): Faults {
  let begins: Instant | undefined;
  return {
    rates: calm,
    outage,
    readsManagementCluster: true,
    at({ port, now }) {
      begins ??= now + outage.beginsAfterMs;
      if (port !== 'kubernetes' || now < begins || now >= begins + outage.lastsMs) {
        return undefined;
      }
      return outage.as === 'hang' ? { do: 'hang', when: 'before' } : { do: 'refuse', as: outage.as, when: 'before' };
    },
  };
}

export function mixedFaults(rates: Rates, random: Random): Faults {
  const when = (): 'before' | 'after' => (random.chance(0.5) ? 'before' : 'after');
  return {
    rates,
    at({ port, isWrite }) {
      const drawn = random.next();
      const { kill, hang, refuse, delay } = rates;
      if (drawn < kill) {
        return { do: 'kill', when: when() };
      }
      if (drawn < kill + hang) {
        return { do: 'hang', when: when() };
      }
      if (drawn < kill + hang + refuse) {
        return drawRefusal(random, { port, isWrite });
      }
      return drawn < kill + hang + refuse + delay ? { do: 'delay', ms: random.between(50, 5_000) } : undefined;
    },
  };
}

function drawRefusal(random: Random, { port, isWrite }: Pick<FaultPoint, 'port' | 'isWrite'>): Fault {
  if (random.chance(0.4)) {
    return { do: 'refuse', as: 'timeout', when: isWrite && random.chance(0.6) ? 'after' : 'before' };
  }
  const as = port === 'queues' ? 'unavailable' : random.pick(refusals);
  return { do: 'refuse', as: as === 'conflict' && !isWrite ? 'internalError' : as, when: 'before' };
}
