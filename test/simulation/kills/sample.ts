// Selects the invocations of a run without faults that are killed: all, or a deterministic sample.
import { createRandom } from '../engine/random.ts';

/**
 * Returns the numbers (0, 1, …) of one of `step` invocations of each queue's function, and of at least one. A step of 1
 * selects all. The names of the workload and the queue determine the first invocation.
 */
export function chooseInvocations(workload: string, queues: readonly string[], step: number): readonly number[] {
  const numbersOf = Map.groupBy(queues.keys(), number => queues[number] ?? '');
  const chosen = [...numbersOf].flatMap(([queue, numbers]) => {
    const first = createRandom(`kills/${workload}/${queue}`).below(Math.min(step, numbers.length));
    return numbers.filter((_, position) => position % step === first);
  });
  return chosen.toSorted((a, b) => a - b);
}
