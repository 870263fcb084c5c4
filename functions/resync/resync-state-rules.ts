// RBAC rules that the resync needs in addition to its lists.
import type { PolicyRule } from '@capi-serverless/reconciler';
import { toStateRules } from '../../shared/event-source/state-config-map.ts';
import { stateName } from './stored-fingerprints.ts';

export const stateRules: readonly PolicyRule[] = toStateRules(stateName, 'the fingerprints of the previous run');
