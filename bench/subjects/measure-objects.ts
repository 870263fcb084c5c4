// Measures objects of one kind with one subject: one at a time, and many at once.
import { type Memory, memoryOf } from '../process-usage.ts';
import type { RunningSubject } from './running-subject.ts';
import type { BenchWorkload, Measurement } from './workload.ts';

export interface ObjectSizes {
  /** Objects that are created and deleted before measuring. */
  readonly warmUp: number;
  readonly oneByOne: number;
  /** Each number of objects is measured once. */
  readonly atOnce: readonly number[];
}

export interface ObjectMeasurements {
  readonly oneByOne: readonly Measurement[];
  readonly atOnce: readonly Measurement[];
  /** The memory of its process at the end. */
  readonly memory: Memory | null;
}

export async function measureObjects(
  { pid, say }: RunningSubject,
  workload: BenchWorkload,
  sizes: ObjectSizes,
): Promise<ObjectMeasurements> {
  say(`warming up with ${sizes.warmUp} at once`);
  await workload.measure('warm', sizes.warmUp);
  const oneByOne: Measurement[] = [];
  for (let index = 0; index < sizes.oneByOne; index += 1) {
    const measured = await workload.measure(`one-${index}`, 1);
    oneByOne.push(measured);
    say(`one (${index + 1} of ${sizes.oneByOne}): ${toSeconds(measured.allMs)}`);
  }
  const atOnce: Measurement[] = [];
  for (const count of sizes.atOnce) {
    const measured = await workload.measure(`all-${count}`, count);
    atOnce.push(measured);
    say(`${count} at once: ${toSeconds(measured.allMs)}`);
  }
  return { oneByOne, atOnce, memory: memoryOf(pid) };
}

export function toSeconds(ms: number): string {
  return `${(ms / 1000).toFixed(2)} s`;
}
