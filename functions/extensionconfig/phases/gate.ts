// What must be settled on the ExtensionConfig itself before anything else is read: its deletion, then pause.

import {
  type PauseGate,
  pausedCondition,
  pauseGate,
  type ReportedCondition,
} from '@capi-serverless/cluster-api/conditions';
import type { ExtensionConfig } from '../../../shared/api/extension-config/reader.ts';

/** As a PauseGate, or 'deleting': there is no finalizer and nothing to do, even while it is paused. */
export type ExtensionGate = PauseGate | 'deleting';

export function gateOf(config: ExtensionConfig): ExtensionGate {
  const { metadata, status } = config;
  return metadata.deletionTimestamp === undefined
    ? pauseGate(status.conditions, pausedOf(config), metadata.generation)
    : 'deleting';
}

export function pausedOf({ metadata }: ExtensionConfig): ReportedCondition {
  return pausedCondition({ kind: 'ExtensionConfig', annotations: metadata.annotations });
}
