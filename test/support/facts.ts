// Questions about recorded facts: which requests belong to which invocation, and how long the longest chain is.
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

/** The longest row of requests of which each began after the former's answer. */
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
 * The longest row of any of several reconciles that do the same. On a busy machine requests that wait for nothing may happen to
 * begin after an answer; those that do wait for one begin after it each time, so that the shortest result is the true one.
 */
export function leastChain(reconciles: readonly (readonly RequestRecord[])[]): number {
  return Math.min(...reconciles.map(longestChain));
}
