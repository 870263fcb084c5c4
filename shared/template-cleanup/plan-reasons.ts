// Describes the reason of each action of the reconcilers that clean up templates. Pure.

import type { ExplainedAction } from '../explain/face.ts';
import { addFinalizerId, removeFinalizerId } from './decide.ts';
import type { TemplateCleanupSeen } from './seen.ts';

/** Returns `undefined` for an unknown action. */
export function whyOfCleanup({ action, seen }: ExplainedAction<TemplateCleanupSeen>): string | undefined {
  const { kind } = seen.object;
  switch (action.id) {
    case addFinalizerId:
      return `the finalizer ${seen.finalizer} is missing: without it, the ${kind} could be deleted before its templates`;
    case removeFinalizerId:
      return 'it is being deleted, and its dependent objects are deleted';
    default:
      return action.do === 'delete' ? `the ${kind} is being deleted, and no other object uses it` : undefined;
  }
}
