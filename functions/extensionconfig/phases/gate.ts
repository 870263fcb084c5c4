// The gates of a pass over an ExtensionConfig, before other objects are read: deletion first, then pause.
import { pausedCondition, type ReportedCondition } from '@capi-serverless/cluster-api/conditions';
import { type EarlyEnd, isDeleting, pausedGate, type Stop } from '@capi-serverless/reconciler';
import type { ExtensionConfig } from '../../../shared/api/extension-config/reader.ts';

export function pausedOf({ metadata }: ExtensionConfig): ReportedCondition {
  return pausedCondition({ kind: 'ExtensionConfig', annotations: metadata.annotations });
}

/** There is no finalizer, so a pass over a deleted object does nothing, even while it is paused. */
export function gateOf(config: ExtensionConfig): EarlyEnd | Stop | undefined {
  return isDeleting(config) ? { stop: 'deleting' } : pausedGate(config, pausedOf(config));
}
