// The result of one pass. These reconcilers write no status and record no events.
import { toDisplayName } from '@capi-serverless/apimachinery';
import { failureOf, type Outcomes, type Report } from '@capi-serverless/reconciler';
import { addFinalizerId, deleteId, removeFinalizerId } from './decide.ts';
import { failureText, type TemplateCleanupSeen } from './seen.ts';

export function report(seen: TemplateCleanupSeen, outcomes: Outcomes): Report {
  const problem = problemOf(seen, outcomes);
  return {
    events: [],
    result: problem === undefined ? { kind: 'done' } : { kind: 'failed', error: new Error(problem), terminal: false },
  };
}

function problemOf(seen: TemplateCleanupSeen, outcomes: Outcomes): string | undefined {
  const { kind, metadata } = seen.object;
  const owner = `${kind} ${toDisplayName(metadata)}`;
  const failed = (id: string, what: string): readonly string[] => {
    const failure = failureOf(outcomes, id);
    return failure === undefined ? [] : [failureText(what, failure)];
  };
  switch (seen.step) {
    case 'addFinalizer':
      return failed(addFinalizerId, `failed to add finalizer ${seen.finalizer} to ${owner}`)[0];
    case 'cleanUp': {
      if (!seen.dependents.ok) {
        return seen.dependents.error;
      }
      const deletions = seen.dependents.value.flatMap(dependent => {
        const { ref } = dependent;
        return failed(deleteId(dependent), `failed to delete ${ref.kind} ${toDisplayName(ref)} for ${owner}`);
      });
      return [
        ...deletions,
        ...failed(removeFinalizerId, `failed to remove finalizer ${seen.finalizer} from ${owner}`),
      ][0];
    }
  }
}
