// RBAC rules that the resync needs in addition to its lists.
import type { PolicyRule } from '@capi-serverless/reconciler';
import { stateNames, toStateRules } from '../../shared/event-source/state-config-map.ts';

export const stateRules: readonly PolicyRule[] = toStateRules(
  stateNames.resync,
  'the fingerprints of the previous run',
);
