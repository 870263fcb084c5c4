// RBAC rules that the windowed forwarder needs in addition to its watches.
import type { PolicyRule } from '@capi-serverless/reconciler';
import { stateNames, toStateRules } from '../../shared/event-source/state-config-map.ts';

export const stateRules: readonly PolicyRule[] = toStateRules(stateNames.windowedForwarder, 'its resource versions');
