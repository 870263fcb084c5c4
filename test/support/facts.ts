// Queries on recorded facts: the requests of each invocation, and the length of the longest chain of dependent requests.
import type { RecordedFact } from './local-run.ts';

type RequestRecord = Extract<RecordedFact, { fact: 'request' }>;
type InvocationRecord = Extract<RecordedFact, { fact: 'invocation' }>;

export interface RecordedInvocation {
  readonly invocation: InvocationRecord;
  readonly requests: readonly RequestRecord[];
}

const writingVerbs = ['create', 'patch', 'apply', 'update', 'delete'];

export function isWrite({ verb, dryRun }: RequestRecord): boolean {
  return writingVerbs.includes(verb) && !dryRun;
}

export const isEvent = ({ resource }: RequestRecord): boolean => resource === 'events';

/** The invocations of one function in order, each with the requests it made. Exact while invocations do not overlap. */
export function invocationsOf(functionName: string, facts: readonly RecordedFact[]): readonly RecordedInvocation[] {
  const requests = facts.filter(
    (fact): fact is RequestRecord => fact.fact === 'request' && fact.client === functionName,
  );
  return facts
    .filter((fact): fact is InvocationRecord => fact.fact === 'invocation' && fact.functionName === functionName)
    .map(invocation => ({
      invocation,
      requests: requests.filter(
        ({ startedAt, endedAt }) => startedAt >= invocation.startedAt && endedAt <= invocation.endedAt,
      ),
    }));
}

/** The longest chain of requests in which each begins after the answer to the previous one. */
function longestChain(requests: readonly RequestRecord[]): number {
  const inOrder = [...requests].sort((a, b) => a.endedAt - b.endedAt);
  const lengths: { readonly endedAt: number; readonly length: number }[] = [];
  for (const { startedAt, endedAt } of inOrder) {
    const before = lengths.filter(earlier => earlier.endedAt <= startedAt).map(({ length }) => length);
    lengths.push({ endedAt, length: Math.max(0, ...before) + 1 });
  }
  return Math.max(0, ...lengths.map(({ length }) => length));
}

/**
 * The shortest of the longest chains of several equal reconciles. On a busy machine, an independent request may happen to begin
 * after an answer. A dependent one always does, so the shortest result is the correct one.
 */
export function leastChain(reconciles: readonly (readonly RequestRecord[])[]): number {
  return Math.min(...reconciles.map(longestChain));
}
