// What one pass tells: nothing but whether it must be tried again. These reconcilers own no status.
import { toDisplayName } from '../api/object.ts';
import type { Outcomes, Report } from '../kernel/types.ts';
import { deleteId, holdId, releaseId } from './decide.ts';
import { failureText, type Seen } from './seen.ts';

export function report(seen: Seen, outcomes: Outcomes): Report {
  const problem = problemOf(seen, outcomes);
  return {
    events: [],
    result: problem === undefined ? { kind: 'done' } : { kind: 'failed', error: new Error(problem), terminal: false },
  };
}

function problemOf(seen: Seen, outcomes: Outcomes): string | undefined {
  const { kind, metadata } = seen.object;
  const owner = `${kind} ${toDisplayName(metadata)}`;
  const failed = (id: string, what: string): readonly string[] => {
    const outcome = outcomes.get(id);
    return outcome?.state === 'failed' ? [failureText(what, outcome.failure)] : [];
  };
  switch (seen.step) {
    case 'hold':
      return failed(holdId, `failed to add finalizer ${seen.finalizer} to ${owner}`)[0];
    case 'release': {
      if (!seen.doomed.ok) {
        return seen.doomed.error;
      }
      const deletions = seen.doomed.value.flatMap(doomed => {
        const { ref } = doomed;
        return failed(deleteId(doomed), `failed to delete ${ref.kind} ${toDisplayName(ref)} for ${owner}`);
      });
      return [...deletions, ...failed(releaseId, `failed to remove finalizer ${seen.finalizer} from ${owner}`)][0];
    }
  }
}
