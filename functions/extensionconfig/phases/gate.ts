// What must be settled on the ExtensionConfig itself before anything else is looked at: its deletion, then pause.
import type { ExtensionConfig } from '../../../shared/api/extension-config/reader.ts';
import type { ReportedCondition } from '../../../shared/conditions/condition.ts';
import { type PauseGate, pausedCondition, pauseGate } from '../../../shared/conditions/paused.ts';

/** As a PauseGate, or 'deleting': there is no finalizer and nothing to do, even while it is paused. */
export type Gate = PauseGate | 'deleting';

export function gateOf(config: ExtensionConfig): Gate {
  const { metadata, status } = config;
  return metadata.deletionTimestamp === undefined
    ? pauseGate(status.conditions, pausedOf(config), metadata.generation)
    : 'deleting';
}

export function pausedOf({ metadata }: ExtensionConfig): ReportedCondition {
  return pausedCondition({ kind: 'ExtensionConfig', annotations: metadata.annotations });
}
