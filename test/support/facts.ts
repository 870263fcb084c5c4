// Queries on recorded facts: the requests of each invocation.
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

/**
 * Returns the invocations of one function in order, each with its requests. The result is exact if invocations do not
 * overlap.
 */
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
