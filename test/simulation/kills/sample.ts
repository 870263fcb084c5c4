// Which invocations of an undisturbed run are killed: all, or a part that is the same each time.
import { createRandom } from '../engine/random.ts';

/**
 * The numbers (0, 1, …) of one in `step` invocations of each queue's function, and of at least one. A step of 1 chooses all.
 * The invocation to begin with follows from the names of the workload and the queue.
 */
export function chooseInvocations(workload: string, queues: readonly string[], step: number): readonly number[] {
  const numbersOf = Map.groupBy(queues.keys(), number => queues[number] ?? '');
  const chosen = [...numbersOf].flatMap(([queue, numbers]) => {
    const first = createRandom(`kills/${workload}/${queue}`).below(Math.min(step, numbers.length));
    return numbers.filter((_, position) => position % step === first);
  });
  return chosen.toSorted((a, b) => a - b);
}
