// RBAC rules that the windowed forwarder needs in addition to its watches.
import type { PolicyRule } from '@capi-serverless/reconciler';
import { toStateRules } from '../../shared/event-source/state-config-map.ts';
import { stateName } from './stored-versions.ts';

export const stateRules: readonly PolicyRule[] = toStateRules(stateName, 'its resource versions');
