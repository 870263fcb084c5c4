// Decides the writes of one pass over a ClusterClass: its owner reference on the templates that it references.
import type { Action } from '@capi-serverless/reconciler';
import { ownActions } from './phases/check-templates.ts';
import type { ClusterClassSeen } from './seen.ts';

export function decide(seen: ClusterClassSeen): readonly Action[] {
  switch (seen.step) {
    case 'pausedCondition':
      return [];
    case 'whole':
      return ownActions(seen);
  }
}
