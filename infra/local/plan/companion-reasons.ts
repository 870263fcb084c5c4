// Why the companions of managed topologies do what they do, in words. Pure.

import { holdId, releaseId } from '../../../shared/template-cleanup/decide.ts';
import type { Seen } from '../../../shared/template-cleanup/seen.ts';
import type { Because } from './plan.ts';

/** `undefined` for an action that this does not know. */
export function whyOfCompanion({ action, seen }: Because<Seen>): string | undefined {
  const { kind } = seen.object;
  switch (action.id) {
    case holdId:
      return `the finalizer ${seen.finalizer} is missing: without it the ${kind} could vanish before its templates`;
    case releaseId:
      return 'it is being deleted, and nothing that goes with it is left';
    default:
      return action.do === 'delete' ? `the ${kind} is being deleted, and nobody else uses it` : undefined;
  }
}
