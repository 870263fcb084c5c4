// Determines the first write of a pass, before other objects are read: deletion first, then pause.

import {
  type PauseGate,
  pausedCondition,
  pauseGate,
  type ReportedCondition,
} from '@capi-serverless/cluster-api/conditions';
import type { ExtensionConfig } from '../../../shared/api/extension-config/reader.ts';

/**
 * Extends PauseGate with 'deleting'. There is no finalizer, so a pass over a deleted object does nothing, even while it
 * is paused.
 */
type ExtensionGate = PauseGate | 'deleting';

export function gateOf(config: ExtensionConfig): ExtensionGate {
  const { metadata, status } = config;
  return metadata.deletionTimestamp === undefined
    ? pauseGate(status.conditions, pausedOf(config), metadata.generation)
    : 'deleting';
}

export function pausedOf({ metadata }: ExtensionConfig): ReportedCondition {
  return pausedCondition({ kind: 'ExtensionConfig', annotations: metadata.annotations });
}
