// Selects the invocations of a run without faults that are killed: all, or a deterministic sample.
import { createRandom } from '../engine/random.ts';

export interface InvocationSample {
  /** One of this number of invocations of each function is tested. */
  readonly step: number;
  /** Samples with consecutive seeds together select all invocations. */
  readonly seed: number;
}

/**
 * Returns the numbers (0, 1, …) of one of `step` invocations of each queue's function, and of at least one. A step of 1
 * selects all. The seed and the names of the workload and the queue determine the first invocation.
 */
export function chooseInvocations(
  workload: string,
  queues: readonly string[],
  { step, seed }: InvocationSample,
): readonly number[] {
  const numbersOf = Map.groupBy(queues.keys(), number => queues[number] ?? '');
  const chosen = [...numbersOf].flatMap(([queue, numbers]) => {
    const interval = Math.min(step, numbers.length);
    const first = (createRandom(`kills/${workload}/${queue}`).below(interval) + seed) % interval;
    return numbers.filter((_, position) => position % step === first);
  });
  return chosen.toSorted((a, b) => a - b);
}
