// The writes of one pass over a ClusterClass: its mark on the templates that it names.
import type { Action } from '@capi-serverless/reconciler';
import { ownActions } from './phases/templates.ts';
import type { Seen } from './seen.ts';

export function decide(seen: Seen): readonly Action[] {
  switch (seen.step) {
    case 'pausedCondition':
      return [];
    case 'whole':
      return ownActions(seen);
  }
}
