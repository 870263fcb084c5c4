// The faults of an overloaded API server: a seeded distribution of latencies, refused requests, and reset connections.
import { calm, type Faults } from '../simulation/engine/faults.ts';
import { createRandom } from '../simulation/engine/random.ts';

export interface SlowApi {
  readonly seed: string;
  /** Half of all answers take longer than this. */
  readonly p50Ms: number;
  /** One answer in 100 takes longer than this. */
  readonly p99Ms: number;
  /** The probability that the server refuses a request with 429 and Retry-After. */
  readonly refused: number;
  /** The probability that the connection is reset, before or after the request takes effect. */
  readonly reset: number;
}

/** The limits after which a client gives up: the REST client's limit for one request, and those for workload clusters. */
const requestLimitMs = 60_000;
const workloadLimitMs = 10_000;
const probeLimitMs = 5_000;

/** The 99th percentile of the standard normal distribution. */
const z99 = 2.326_347_874;

/** Latencies are distributed log-normally, as response times of loaded servers usually are. */
export function slowApiFaults({ seed, p50Ms, p99Ms, refused, reset }: SlowApi): Faults {
  const random = createRandom(`slow API server/${seed}`);
  const sigma = Math.log(p99Ms / p50Ms) / z99;
  return {
    rates: calm,
    readsManagementCluster: true,
    at({ port, isWrite, label }) {
      if (port !== 'kubernetes') {
        return undefined;
      }
      const drawn = random.next();
      if (drawn < refused) {
        return { do: 'refuse', as: 'tooManyRequests', when: 'before' };
      }
      if (drawn < refused + reset) {
        return { do: 'refuse', as: 'timeout', when: isWrite && random.chance(0.5) ? 'after' : 'before' };
      }
      const ms = p50Ms * Math.exp(sigma * normal(random.next(), random.next()));
      const limitMs = limitOf(label);
      return ms > limitMs ? { do: 'hang', when: 'before' } : { do: 'delay', ms };
    },
  };
}

function limitOf(label: string): number {
  if (label.startsWith('workload')) {
    return workloadLimitMs;
  }
  return label.startsWith('probe') ? probeLimitMs : requestLimitMs;
}

/** A standard normal value from two uniform values (https://en.wikipedia.org/wiki/Box-Muller_transform). */
function normal(one: number, other: number): number {
  return Math.sqrt(-2 * Math.log(1 - one)) * Math.cos(2 * Math.PI * other);
}
