// The limits of work for the content of one object: its templates, rules and patches, and those of the referenced
// objects. See docs/decisions/0038-one-meter.md and docs/decisions/0075-small-objects.md.
import type { Answer, Reads, Unstructured, WorkBound, WorkMeter } from '@capi-serverless/apimachinery';

const bound = {
  what: 'the templates, rules, patches and variables of this object',
  remedy: 'use fewer or smaller templates, rules, patches or variables',
};

/** The maximum work of one pass: at most four seconds of one core. */
export const workOfPass: WorkBound = { ...bound, units: 250_000_000 };

/** Another pass starts only if the passes before took at most this part of the work of a pass. */
const partBefore = 5;

/** The maximum work of all passes of one reconcile. */
export const workOfReconcile: WorkBound = { ...bound, units: workOfPass.units + workOfPass.units / partBefore };

/**
 * The maximum work of one pass of a reconciler that runs what tenants write. It grows with what the pass reads. It is
 * computed for less than a second of one core for a small object; the decision names what exceeds it under load.
 */
export const growingWorkOfPass: WorkBound = { ...workOfPass, growth: { base: 40_000_000, perCharacter: 2000 } };

/**
 * Counts an object that a pass has read. Metadata and status are left out. Reconcilers write them, so a limit that grows
 * with them could change with its own error. Objects without a namespace are not those of a tenant.
 */
export function countRead(meter: WorkMeter, { metadata, status: _, ...content }: Unstructured): void {
  if (metadata.namespace !== undefined) {
    meter.read(content);
  }
}

/**
 * Returns the same reads. Whole objects are counted for the limit of the pass, each once: a class may refer to one
 * template many times.
 */
export function countingReads(reads: Reads, meter: WorkMeter): Reads {
  const counted = new Set<string>();
  const count = (object: Unstructured): void => {
    if (!counted.has(object.metadata.uid)) {
      counted.add(object.metadata.uid);
      countRead(meter, object);
    }
  };
  return {
    metadata: reads.metadata,
    get: counting(reads.get, count),
    list: counting(reads.list, count),
  };
}

function counting<Read extends (...question: never[]) => Promise<Answer<unknown>>>(
  read: Read,
  count: (object: Unstructured) => void,
): Read {
  const counted = async (...question: Parameters<Read>): Promise<Answer<unknown>> => {
    const answer = await read(...question);
    if (answer.ok && question.length === 1) {
      // True: without a parser, the answer is an object, or a list of objects.
      const objects = (Array.isArray(answer.value) ? answer.value : [answer.value]) as readonly Unstructured[];
      for (const object of objects) {
        count(object);
      }
    }
    return answer;
  };
  // True: it returns the result of the wrapped function unchanged, so the type is the same, including overloads.
  return counted as Read;
}

/** Returns whether the work of the passes so far leaves that of another pass. `last` is the meter of the last pass. */
export function allowsPass(passes: WorkMeter, last: WorkMeter): boolean {
  return last.reaches(partBefore * passes.spent);
}

/** The memory of a function for which the limits are made. */
const fullMemoryMiB = 512;

/**
 * The share of the limits that a function with this memory has. Lambda gives a function a processor in proportion to its
 * memory, so all shares take the same time. More memory gives no further work: an object that is accepted by one
 * function is accepted by all with at least the full memory.
 * https://docs.aws.amazon.com/lambda/latest/dg/configuration-memory.html
 */
export function workShareOf(memoryMiB: number | undefined): number {
  return memoryMiB === undefined ? 1 : Math.min(1, memoryMiB / fullMemoryMiB);
}

/** Returns the limit for a share of the work. The number of units is whole. */
export function workOfShare({ growth, ...of }: WorkBound, share: number): WorkBound {
  return {
    ...of,
    units: Math.floor(share * of.units),
    ...(growth === undefined
      ? {}
      : { growth: { base: Math.floor(share * growth.base), perCharacter: share * growth.perCharacter } }),
  };
}
